import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { type Site, setSite, useSite } from "@/data/account/people";
import { relativeTime } from "@/i18n/format";
import { useNow } from "@/i18n/use-now";
import { ErrorNote } from "@/ui/error-note";
import { Note } from "@/ui/note";
import { useForm } from "@/ui/use-form";
import { useFreshSignIn } from "./fresh-sign-in";
import { Card } from "./parts";

/** Key phrases of Yahoo! JAPAN for the tags of Japanese articles; for the owner. Without bookmark counts there are no tags. */
export function KeyPhrases() {
  const { t } = useLingui();
  const { data } = useSite();
  if (!data?.bookmarkCounts.isOn || !data.keyPhrases) return null;
  return (
    <Card
      title={t`Key phrases by Yahoo! JAPAN`}
      hint={
        <Trans>
          Tags of Japanese articles can come from Yahoo! JAPAN instead of this server’s own
          analysis. For this, once a night, titles and excerpts of new Japanese articles are sent to
          LY Corporation in Japan, without anything about the people who read here. Articles from
          feeds with a password or key in their address, from private networks and from feeds
          without bookmark counts are never sent.
        </Trans>
      }
    >
      {data.keyPhrases.isOn ? <On phrases={data.keyPhrases} /> : <ClientId />}
    </Card>
  );
}

function ClientId() {
  const { t } = useLingui();
  const client = useQueryClient();
  const fresh = useFreshSignIn();
  const { busy, error, onSubmit } = useForm((data) => {
    const clientId = String(data.get("clientId")).trim();
    return fresh.run(() => setSite(client, { keyPhrases: { clientId } }));
  });
  return (
    <>
      <form className="line" onSubmit={onSubmit}>
        <div className="field">
          <label htmlFor="yahoo-client-id">
            <Trans>Client ID</Trans>
          </label>
          <input
            id="yahoo-client-id"
            name="clientId"
            required
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            aria-describedby="yahoo-client-id-hint"
          />
        </div>
        <button type="submit" className="btn" aria-disabled={busy}>
          {t`Turn on`}
        </button>
      </form>
      <p className="hint" id="yahoo-client-id-hint">
        <Trans>
          You get a client ID free of charge from the{" "}
          <a
            className="underline"
            href="https://e.developer.yahoo.co.jp/register"
            target="_blank"
            rel="noopener noreferrer"
          >
            Yahoo! JAPAN developer network
          </a>
          . It is stored on this server and never shown again.
        </Trans>
      </p>
      {error && <ErrorNote error={error} />}
      {fresh.dialog}
    </>
  );
}

function On({ phrases }: { phrases: NonNullable<Site["keyPhrases"]> }) {
  const { i18n } = useLingui();
  const client = useQueryClient();
  const now = useNow();
  const fresh = useFreshSignIn();
  const { busy, error, onSubmit } = useForm(() =>
    fresh.run(() => setSite(client, { keyPhrases: { clientId: "" } })),
  );
  const last = phrases.lastAt && relativeTime(phrases.lastAt, now, i18n.locale);
  return (
    <>
      <form className="setting" onSubmit={onSubmit}>
        <p className="text hint">
          {last ? (
            <Trans>Key phrases are on. Last requested {last}.</Trans>
          ) : (
            <Trans>Key phrases are on. They are requested the next night.</Trans>
          )}
        </p>
        <button type="submit" className="btn" aria-disabled={busy}>
          <Trans>Turn off</Trans>
        </button>
      </form>
      {phrases.error && (
        <Note kind="warn">
          {phrases.error.message} {phrases.error.action}
        </Note>
      )}
      {error && <ErrorNote error={error} />}
      {fresh.dialog}
    </>
  );
}
