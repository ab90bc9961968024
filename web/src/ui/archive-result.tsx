import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Note } from "./note";

interface Props {
  done: {
    subscribed: number;
    items: number;
    rules: number;
    feedsWaiting: number;
    itemsWaiting: number;
  };
  failed: readonly { url: string; message: string }[];
  /** Of which those in `failed` may be some. */
  failures: number;
  /** It is an account of another reader. */
  isReader?: boolean;
}

/** What an archive, or an account of another reader, has brought. */
export function ArchiveResult({ done, failed, failures, isReader = false }: Props) {
  const { t } = useLingui();
  const waits = done.feedsWaiting > 0 || done.itemsWaiting > 0;
  return (
    <Note kind={failures > 0 ? "warn" : "ok"} live>
      <strong>
        {isReader ? (
          <Trans>Moved in from the other reader.</Trans>
        ) : (
          <Trans>Archive imported.</Trans>
        )}
      </strong>{" "}
      {isReader
        ? t`${plural(done.subscribed, { one: "# new feed", other: "# new feeds" })}, ${plural(done.items, { one: "# article", other: "# articles" })}.`
        : t`${plural(done.subscribed, { one: "# new feed", other: "# new feeds" })}, ${plural(done.items, { one: "# article", other: "# articles" })}, ${plural(done.rules, { one: "# rule", other: "# rules" })}.`}
      {waits && (
        <p>
          {isReader ? (
            <Trans>
              Some feeds could not be fetched yet. Move in again later for their read articles.
            </Trans>
          ) : (
            <Trans>
              New feeds are being fetched. Import the archive again afterwards to restore their read
              articles.
            </Trans>
          )}
        </p>
      )}
      {failed.length > 0 && (
        <ul>
          {failed.map(({ url, message }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an archive may name the same address twice
            <li key={index}>{url ? `${url}: ${message}` : message}</li>
          ))}
        </ul>
      )}
      {failures > failed.length && (
        <p>
          {t`${plural(failures - failed.length, { one: "# more could not be imported.", other: "# more could not be imported." })}`}
        </p>
      )}
    </Note>
  );
}
