import { Trans, useLingui } from "@lingui/react/macro";
import { type Run, useRuns } from "@/data/runs";
import { clockTime } from "@/i18n/clock-time";
import { number } from "@/i18n/numbers";
import { useNow } from "@/i18n/use-now";
import { ErrorNote } from "@/ui/error-note";
import { seconds } from "./figures";

/** The crawler's latest runs, newest first. */
export function Runs() {
  const { t, i18n } = useLingui();
  const now = useNow();
  const runs = useRuns();
  const rows = runs.data?.pages.flatMap((page) => page.runs) ?? [];
  const n = (value: number) => number(value, i18n.locale);
  const kinds: Record<Run["kind"], string> = {
    scheduled: t`Scheduled`,
    refresh: t`Refresh`,
    import: t`Import`,
    first: t`First fetch`,
    all: t`Everything`,
  };
  return (
    <section className="card wide" aria-labelledby="runs">
      <h2 id="runs">
        <Trans>Recent runs</Trans>
      </h2>
      {runs.isError && rows.length === 0 ? (
        <ErrorNote error={runs.error} onRetry={() => void runs.refetch()} />
      ) : runs.isPending ? (
        <div className="skeleton h-40" aria-hidden="true" />
      ) : rows.length === 0 ? (
        <p className="hint">
          <Trans>The crawler has not run yet. It runs every 15 minutes.</Trans>
        </p>
      ) : (
        <div className="table-box">
          <table className="runs">
            <thead>
              <tr>
                <th scope="col">
                  <Trans>Start</Trans>
                </th>
                <th scope="col">
                  <Trans>Kind</Trans>
                </th>
                <th scope="col" className="num">
                  <Trans>Fetched</Trans>
                </th>
                <th scope="col" className="num">
                  <Trans>Failed</Trans>
                </th>
                <th scope="col" className="num">
                  <Trans>New articles</Trans>
                </th>
                <th scope="col" className="num roomy">
                  <Trans>Write units</Trans>
                </th>
                <th scope="col" className="num roomy">
                  <Trans>Duration</Trans>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((run) => (
                <tr key={run.id} data-state={run.state}>
                  <th scope="row">
                    <time dateTime={run.startedAt}>
                      {clockTime(run.startedAt, now, i18n.locale)}
                    </time>
                  </th>
                  <td>{run.state === "lost" ? <Trans>Interrupted</Trans> : kinds[run.kind]}</td>
                  <td className="num">{n(run.polled)}</td>
                  <td className="num" data-bad={run.failed > 0}>
                    {n(run.failed)}
                  </td>
                  <td className="num">{n(run.newItems)}</td>
                  <td className="num roomy">{n(run.tableWrites)}</td>
                  <td className="num roomy">{seconds(run.durationMs, i18n.locale)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {runs.isFetchNextPageError && (
        <ErrorNote error={runs.error} onRetry={() => void runs.fetchNextPage()} />
      )}
      {runs.hasNextPage && !runs.isFetchNextPageError && (
        <button
          type="button"
          className="btn more"
          aria-disabled={runs.isFetchingNextPage}
          onClick={() => !runs.isFetchingNextPage && void runs.fetchNextPage()}
        >
          <Trans>Show older runs</Trans>
        </button>
      )}
    </section>
  );
}
