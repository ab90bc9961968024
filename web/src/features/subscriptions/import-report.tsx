import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Download, LoaderCircle, RefreshCw, Trash } from "lucide-react";
import { useState } from "react";
import { toApiError } from "@/data/api-error";
import { refreshFeed } from "@/data/feed-refresh";
import { useFeedsById } from "@/data/feeds";
import { forgetImport, isRunning, startImport, useImport } from "@/data/imports";
import { writeOpml } from "@/data/opml";
import { readerPath } from "@/data/routes";
import type { Imported } from "@/data/types";
import { errorText, knownCodes, wordsFor } from "@/i18n/error-words";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";
import { Note } from "@/ui/note";
import { saveFile } from "@/ui/save-file";
import { showToast } from "@/ui/toasts";
import { asOpml, canRetry, type Failure, outcomeOf } from "./failures";

interface Props {
  id: string;
  /** What failed was handed in again, as an import of its own. */
  onRetried: (id: string) => void;
  onForgotten: () => void;
  onClose: () => void;
}

/** One import: how far it is, and in the end what came of each entry. */
export function ImportReport({ id, onRetried, onForgotten, onClose }: Props) {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const { data: report, error, refetch } = useImport(id);
  const feeds = useFeedsById();
  const [isBusy, setBusy] = useState(false);

  if (!report) {
    return error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null;
  }
  const { failures, waiting } = outcomeOf(report, feeds);
  const retryable = failures.filter(canRetry);
  // Two different things: what is not there, and what is there without items.
  const refused = failures.filter((one) => one.kind === "entry");
  const unfetched = failures.filter((one) => one.kind === "feed");

  const attempt = async (deed: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await deed();
    } catch (cause) {
      showToast(errorText(toApiError(cause), i18n).says);
    }
    setBusy(false);
  };
  const retry = () =>
    attempt(async () => {
      const entries = retryable.filter((one) => one.kind === "entry");
      if (entries.length > 0) {
        const opml = writeOpml(report.name, asOpml(entries));
        const again = await startImport(client, new File([opml], "failed.opml"));
        onRetried(again.id);
      }
      // One after the other: many may be of one site.
      for (const one of retryable) {
        if (one.kind === "feed") await refreshFeed(client, one.feed.id).catch(() => undefined);
      }
    });

  return (
    <div className="report">
      {isRunning(report) ? <Progress report={report} /> : <Summary report={report} />}
      {waiting > 0 && (
        <p className="flex items-center gap-2 text-ink2" role="status">
          <LoaderCircle className="spin" size={16} aria-hidden="true" />
          <Plural
            value={waiting}
            one="# feed is being fetched for the first time."
            other="# feeds are being fetched for the first time."
          />
        </p>
      )}
      {refused.length > 0 && (
        <Failures label={t`What could not be imported`} failures={refused} onClose={onClose} />
      )}
      {unfetched.length > 0 && (
        <>
          <p>
            <strong>
              <Plural
                value={unfetched.length}
                one="# feed was added, but could not be fetched yet."
                other="# feeds were added, but could not be fetched yet."
              />
            </strong>
          </p>
          <Failures
            label={t`What could not be fetched yet`}
            failures={unfetched}
            onClose={onClose}
          />
        </>
      )}
      <div className="deeds">
        {retryable.length > 0 && !isRunning(report) && (
          <button type="button" className="btn" disabled={isBusy} onClick={() => void retry()}>
            <RefreshCw size={16} aria-hidden="true" className={isBusy ? "spin" : ""} />
            <Plural
              value={retryable.length}
              one="Try the failed one again"
              other="Try the # failed again"
            />
          </button>
        )}
        {failures.some((one) => one.url !== "") && (
          <button
            type="button"
            className="btn"
            onClick={() =>
              saveFile(
                "ruri-failed.opml",
                "text/x-opml",
                writeOpml(t`Feeds that could not be imported`, asOpml(failures)),
              )
            }
          >
            <Download size={16} aria-hidden="true" />
            <Trans>Save the failed as OPML</Trans>
          </button>
        )}
        <button
          type="button"
          className="btn"
          disabled={isBusy}
          onClick={() =>
            void attempt(async () => {
              await forgetImport(client, id);
              onForgotten();
            })
          }
        >
          <Trash size={16} aria-hidden="true" />
          {isRunning(report) ? <Trans>Stop the import</Trans> : <Trans>Forget this import</Trans>}
        </button>
      </div>
    </div>
  );
}

function Progress({ report }: { report: Imported }) {
  const { t } = useLingui();
  return (
    <div>
      <p className="mb-1 flex justify-between gap-3">
        <strong>{report.name || <Trans>Importing</Trans>}</strong>
        <span className="text-ink2">
          <Trans>
            {report.done} of {report.total}
          </Trans>
        </span>
      </p>
      <progress
        className="progress"
        max={Math.max(report.total, 1)}
        value={report.done}
        aria-label={t`Progress of the import`}
      />
      <p className="mt-1 text-ink2">
        <Trans>You can close this window and read: it goes on.</Trans>
      </p>
    </div>
  );
}

function Summary({ report }: { report: Imported }) {
  const kind = report.state === "failed" ? "err" : report.failed > 0 ? "warn" : "ok";
  return (
    <Note kind={kind} live>
      <strong>
        <Plural value={report.imported} one="# feed was added." other="# feeds were added." />
      </strong>{" "}
      {report.alreadySubscribed > 0 && (
        <Plural
          value={report.alreadySubscribed}
          one="# was there already. "
          other="# were there already. "
        />
      )}
      {report.failed > 0 && (
        <Plural value={report.failed} one="# could not be added." other="# could not be added." />
      )}
    </Note>
  );
}

interface FailuresProps {
  label: string;
  failures: readonly Failure[];
  onClose: () => void;
}

function Failures({ label, failures, onClose }: FailuresProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll what has nothing to focus in it
    <ul className="failures" tabIndex={0} aria-label={label}>
      {failures.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a list may name the same address twice
        <li key={index}>
          {one.kind === "feed" ? (
            <Link
              className="name"
              href={readerPath({ kind: "feed", id: one.feed.id })}
              onClick={onClose}
            >
              {one.title || one.url}
            </Link>
          ) : (
            <span className="name">
              {one.title || one.url || <Trans>Without an address</Trans>}
            </span>
          )}
          {one.title && one.url && <span className="url">{one.url}</span>}
          <Reason failure={one} />
        </li>
      ))}
    </ul>
  );
}

function Reason({ failure }: { failure: Failure }) {
  const { i18n } = useLingui();
  const { code, message } = failure.kind === "feed" ? failure.fault : failure;
  const { says, remedy } = wordsFor(code, failure.kind === "feed" ? "feed" : "validation");
  const isKnown = knownCodes.includes(code);
  return (
    <span className="reason">
      <span className="text-err">{isKnown || !message ? i18n._(says) : message}</span>{" "}
      {isKnown && remedy && i18n._(remedy)}
    </span>
  );
}
