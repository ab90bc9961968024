import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Download } from "lucide-react";
import { useState } from "react";
import { toApiError } from "@/data/api-error";
import { outward } from "@/data/base";
import { exportUrl, type ResultFilter, useResults, type Watch } from "@/data/watches";
import { clockTime } from "@/i18n/clock-time";
import { useNow } from "@/i18n/use-now";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";
import { PageSkeleton } from "@/ui/page";
import { useDelayed } from "@/ui/use-delayed";
import { noFilter, ResultFilters } from "./result-filters";
import { ResultTable } from "./result-table";

/** What a watch has found. */
export function Results({ watch }: { watch: Watch }) {
  const { i18n } = useLingui();
  const now = useNow();
  const [filter, setFilter] = useState<ResultFilter>(noFilter);
  const results = useResults(watch, filter);
  const isSlow = useDelayed(results.isPending);
  const items = results.data?.pages.flatMap((page) => page.items) ?? [];
  const { total = 0, asOf = null } = results.data?.pages.at(-1) ?? {};
  const currency = watch.lowest?.currency ?? items.find((one) => one.currency)?.currency ?? "";
  const since = asOf ? clockTime(asOf, now, i18n.locale) : null;

  return (
    <section className="card table-card" aria-labelledby="results">
      <h2 id="results">
        <Trans context="of a watch">Results</Trans> <span className="count">{total}</span>
        <span className="export">
          <a className="btn" href={outward(exportUrl(watch.id, filter, "csv"))} download>
            <Download size={16} /> CSV
          </a>
          <a className="btn" href={outward(exportUrl(watch.id, filter, "json"))} download>
            <Download size={16} /> JSON
          </a>
        </span>
      </h2>
      <ResultFilters
        filter={filter}
        currency={currency}
        hasPrices={
          watch.lowest !== null || items.length === 0 || items.some((one) => one.price !== null)
        }
        onChange={setFilter}
      />
      <p className="sr-only" role="status">
        {results.data && <Plural value={total} one="# result" other="# results" />}
      </p>
      {results.isError && toApiError(results.error).status !== 401 ? (
        <ErrorNote error={results.error} onRetry={() => void results.refetch()} />
      ) : items.length > 0 ? (
        <>
          <ResultTable
            watch={watch}
            items={items}
            lowest={filter.status === "sold" || filter.status === "gone" ? null : watch.lowest}
            asOf={asOf}
          />
          {results.hasNextPage && (
            <button
              type="button"
              className="btn mt-3"
              aria-disabled={results.isFetchingNextPage}
              onClick={() => !results.isFetchingNextPage && void results.fetchNextPage()}
            >
              <Trans>Show more</Trans>
            </button>
          )}
          {since && (
            <p className="hint mt-3">
              <Trans>As of {since}</Trans>
            </p>
          )}
        </>
      ) : results.data && !results.isPlaceholderData ? (
        <div className="state">
          <p className="title">
            {watch.lastCheckedAt === null ? (
              <Trans>The page has not been checked yet</Trans>
            ) : (
              <Trans>No results</Trans>
            )}
          </p>
          <p>
            {watch.lastCheckedAt === null ? (
              <Trans>The first results appear within a minute.</Trans>
            ) : filter === noFilter ? (
              <Trans>Nothing on the page matches this watch at the moment.</Trans>
            ) : (
              <Trans>Change the filters to see more.</Trans>
            )}
          </p>
          {watch.lastCheckedAt !== null && filter === noFilter && (
            <Link className="btn" href={`/watches/${watch.id}/edit`}>
              <Trans>Edit watch</Trans>
            </Link>
          )}
        </div>
      ) : (
        isSlow && <PageSkeleton rows={6} />
      )}
    </section>
  );
}
