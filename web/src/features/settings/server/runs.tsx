import { Trans, useLingui } from "@lingui/react/macro";
import { type Run, useRuns } from "@/data/runs";
import { clockTime } from "@/i18n/clock-time";
import { number } from "@/i18n/numbers";
import { useNow } from "@/i18n/use-now";
import { type DataColumns, DataTable } from "@/ui/data-table";
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
  const columns: DataColumns<Run> = [
    {
      title: t`Start`,
      isName: true,
      cell: ({ startedAt }) => (
        <time dateTime={startedAt}>{clockTime(startedAt, now, i18n.locale)}</time>
      ),
    },
    { title: t`Kind`, cell: (run) => (run.state === "lost" ? t`Interrupted` : kinds[run.kind]) },
    { title: t`Fetched`, className: "num", cell: (run) => n(run.polled) },
    {
      title: t`Failed`,
      className: "num",
      cell: (run) => n(run.failed),
      attributes: ({ failed }) => ({ "data-bad": failed > 0 || undefined }),
    },
    { title: t`New articles`, className: "num", cell: (run) => n(run.newItems) },
    { title: t`Write units`, className: "num roomy", cell: (run) => n(run.tableWrites) },
    {
      title: t`Duration`,
      className: "num roomy",
      cell: (run) => seconds(run.durationMs, i18n.locale),
    },
  ];
  return (
    <section className="card" aria-labelledby="runs">
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
        <DataTable
          scrolls
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          rowAttributes={({ state }) => ({ "data-state": state })}
        />
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
