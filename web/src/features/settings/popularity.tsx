import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { type Site, setSite, useSite } from "@/data/account/people";
import { absoluteTime, relativeTime } from "@/i18n/format";
import { useNow } from "@/i18n/use-now";
import { CountsDisclosure } from "@/ui/counts-disclosure";
import { Note } from "@/ui/note";
import { Switch } from "./controls";
import { useFreshSignIn } from "./fresh-sign-in";
import { KeyPhrases } from "./key-phrases";
import { Asked, Card } from "./parts";
import { PublicPages } from "./public-pages";

/** Bookmark counts and what is published of them; for the owner. */
export function Popularity() {
  return (
    <>
      <BookmarkCounts />
      <KeyPhrases />
      <PublicPages />
    </>
  );
}

function BookmarkCounts() {
  const { t } = useLingui();
  const client = useQueryClient();
  const site = useSite();
  const fresh = useFreshSignIn();
  const label = t`Show Hatena bookmark counts`;
  return (
    <Card title={t`Hatena Bookmark`}>
      <Asked query={site}>
        {({ bookmarkCounts }) => (
          <>
            <Switch
              label={label}
              hint={
                <Trans>
                  Each article then shows how many people have bookmarked it. <CountsDisclosure />
                </Trans>
              }
              value={bookmarkCounts.isOn}
              onChange={(isOn) =>
                void fresh.change(
                  isOn ? t`Bookmark counts on` : t`Bookmark counts off`,
                  () => setSite(client, { bookmarkCounts: { isOn } }),
                  () => setSite(client, { bookmarkCounts: { isOn: !isOn } }),
                )
              }
            />
            {bookmarkCounts.isOn && <LastCycle counts={bookmarkCounts} />}
          </>
        )}
      </Asked>
      {fresh.dialog}
    </Card>
  );
}

function LastCycle({ counts }: { counts: Site["bookmarkCounts"] }) {
  const { i18n } = useLingui();
  const now = useNow();
  if (counts.lastAt === null) {
    return (
      <p className="hint">
        <Trans>The first counts arrive within about an hour.</Trans>
      </p>
    );
  }
  const last = relativeTime(counts.lastAt, now, i18n.locale);
  const until = counts.pausedUntil && absoluteTime(counts.pausedUntil, i18n.locale);
  return (
    <>
      <p className="hint">
        <Trans>Last updated {last}</Trans> ·{" "}
        <Plural value={counts.requests ?? 0} one="# request" other="# requests" />
      </p>
      {counts.error && (
        <Note kind="warn">
          {counts.error.message} {counts.error.action}{" "}
          {until && Date.parse(counts.pausedUntil ?? "") > now && (
            <Trans>Paused until {until}.</Trans>
          )}
        </Note>
      )}
    </>
  );
}
