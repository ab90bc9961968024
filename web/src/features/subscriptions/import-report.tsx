import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Download, LoaderCircle, RefreshCw, Trash } from "lucide-react";
import { useState } from "react";
import { useFeedsById } from "@/data/feeds";
import { forgetImport, isRunning, startImport, useImport } from "@/data/imports";
import { refreshFeed } from "@/data/mutations/feed-refresh";
import { writeOpml } from "@/data/opml";
import { readerPath } from "@/data/routes";
import type { Imported } from "@/data/types";
import { ArchiveResult } from "@/ui/archive-result";
import { ErrorNote } from "@/ui/error-note";
import { ImportShare } from "@/ui/import-share";
import { Link } from "@/ui/link";
import { Note } from "@/ui/note";
import { saveFile } from "@/ui/save-file";
import { showError } from "@/ui/show-error";
import { asOpml, canRetry, type Failure, outcomeOf } from "./failures";

interface Props {
  id: string;
  /** Called with the id of the import that retries what failed. */
  onRetried: (id: string) => void;
  onForgotten: () => void;
  onClose: () => void;
}

/** The progress and the result of an import. */
export function ImportReport({ id, onRetried, onForgotten, onClose }: Props) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { data: report, error, refetch } = useImport(id);
  const feeds = useFeedsById();
  const [isBusy, setBusy] = useState(false);

  if (!report) {
    return error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null;
  }
  const { failures, waiting } = outcomeOf(report, feeds);
  // An archive is imported again as a whole, and so is another reader's account.
  const retryable = report.archive ? [] : failures.filter(canRetry);
  // Entries that were not added, and feeds that were added but not fetched.
  const refused = failures.filter((one) => one.kind === "entry");
  const unfetched = failures.filter((one) => one.kind === "feed");

  const attempt = async (action: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await action();
    } catch (cause) {
      showError(cause);
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
      // One after the other: many may be on one host.
      for (const one of retryable) {
        if (one.kind === "feed") await refreshFeed(client, one.feed.id).catch(() => undefined);
      }
    });

  return (
    <div className="report">
      {isRunning(report) ? <Progress report={report} /> : <Summary report={report} />}
      {waiting > 0 && (
        <p className="flex items-center gap-2 text-ink2" role="status">
          <LoaderCircle className="spin" size={16} />
          <Plural
            value={waiting}
            one="# feed is being fetched for the first time."
            other="# feeds are being fetched for the first time."
          />
        </p>
      )}
      {refused.length > 0 && (!report.archive || report.state === "failed") && (
        <Failures label={t`Not imported`} failures={refused} onClose={onClose} />
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
          <Failures label={t`Feeds not fetched yet`} failures={unfetched} onClose={onClose} />
        </>
      )}
      <div className="buttons">
        {retryable.length > 0 && !isRunning(report) && (
          <button type="button" className="btn" disabled={isBusy} onClick={() => void retry()}>
            <RefreshCw size={16} className={isBusy ? "spin" : ""} />
            <Plural value={retryable.length} one="Retry failed feed" other="Retry # failed feeds" />
          </button>
        )}
        {!report.archive && failures.some((one) => one.url !== "") && (
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
            <Download size={16} />
            <Trans>Save failed feeds as OPML</Trans>
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
          <Trash size={16} />
          {isRunning(report) ? <Trans>Stop import</Trans> : <Trans>Clear this result</Trans>}
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
          <ImportShare report={report} />
        </span>
      </p>
      <progress
        max={Math.max(report.total, 1)}
        value={report.done}
        aria-label={t`Import progress`}
      />
      <p className="mt-1 text-ink2">
        <Trans>You can close this window. The import continues.</Trans>
      </p>
    </div>
  );
}

function Summary({ report }: { report: Imported }) {
  if (report.archive && report.state === "completed") {
    return (
      <ArchiveResult
        done={report.archive}
        failed={report.errors}
        failures={report.failed}
        isReader={report.kind === "reader"}
      />
    );
  }
  const kind = report.state === "failed" ? "err" : report.failed > 0 ? "warn" : "ok";
  return (
    <Note kind={kind} live>
      <strong>
        <Plural value={report.imported} one="# feed was added." other="# feeds were added." />
      </strong>{" "}
      {report.alreadySubscribed > 0 && (
        <Plural
          value={report.alreadySubscribed}
          one="# already subscribed. "
          other="# already subscribed. "
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
            <span className="name">{one.title || one.url || <Trans>No address</Trans>}</span>
          )}
          {one.title && one.url && <span className="url">{one.url}</span>}
          <Reason failure={one} />
        </li>
      ))}
    </ul>
  );
}

function Reason({ failure }: { failure: Failure }) {
  const { message, action } = failure.kind === "feed" ? failure.fault : failure;
  return (
    <span className="reason">
      <span className="text-err">{message}</span> {action}
    </span>
  );
}
