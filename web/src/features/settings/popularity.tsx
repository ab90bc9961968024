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
      <HackerNews />
      <KeyPhrases />
      <PublicPages />
    </>
  );
}

function HackerNews() {
  const { t } = useLingui();
  const client = useQueryClient();
  const site = useSite();
  const fresh = useFreshSignIn();
  return (
    <Card title={t`Hacker News`}>
      <Asked query={site}>
        {({ hackerNewsPoints, hackerNewsError }) => (
          <>
            <Switch
              label={t`Show points of Hacker News`}
              hint={
                <Trans>
                  Articles that are on Hacker News show their points and link to the discussion. For
                  this, the server reads the list of stories of the last three days, at most once an
                  hour; nothing is sent about what is read here.
                </Trans>
              }
              value={hackerNewsPoints}
              onChange={(isOn) =>
                void fresh.change(
                  isOn ? t`Points of Hacker News on` : t`Points of Hacker News off`,
                  () => setSite(client, { hackerNewsPoints: isOn }),
                  () => setSite(client, { hackerNewsPoints: !isOn }),
                )
              }
            />
            {hackerNewsPoints && hackerNewsError && (
              <Note kind="warn">
                {hackerNewsError.message} {hackerNewsError.action}
              </Note>
            )}
          </>
        )}
      </Asked>
      {fresh.dialog}
    </Card>
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
