import { Trans, useLingui } from "@lingui/react/macro";
import { toApiError } from "@/data/api-error";
import { type Range, ranges, useTrend, type Watch } from "@/data/watches";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";
import { PageSkeleton } from "@/ui/page";
import { useDelayed } from "@/ui/use-delayed";
import { trendPath } from "./place";
import { TrendChart } from "./trend-chart";
import { TrendTable } from "./trend-table";

/** How the prices went, by day. */
export function Trend({ watch, range }: { watch: Watch; range: Range }) {
  const { t } = useLingui();
  const trend = useTrend(watch, range);
  const isSlow = useDelayed(trend.isPending);
  const names: Record<Range, string> = {
    "30d": t`30 days`,
    "90d": t`90 days`,
    "1y": t`1 year`,
    all: t({ context: "all of the time", message: "All" }),
  };
  const { days = [], currency = null } = trend.data ?? {};
  return (
    <section className="card" aria-labelledby="trend">
      <h2 id="trend">
        <Trans>Prices by day</Trans>
        <nav className="ranges" aria-label={t`Time span`}>
          {ranges.map((one) => (
            <Link
              key={one}
              href={trendPath(watch.id, one)}
              aria-current={one === range ? "true" : undefined}
            >
              {names[one]}
            </Link>
          ))}
        </nav>
      </h2>
      {days.some((day) => day.lowest !== null || day.soldMedian !== null) ? (
        <>
          <TrendChart key={range} days={days} currency={currency ?? ""} />
          <TrendTable days={days} currency={currency ?? ""} />
        </>
      ) : trend.data ? (
        <div className="state">
          <p className="title">
            <Trans>No prices yet</Trans>
          </p>
          <p>
            <Trans>The trend begins on the day on which the watch first finds a price.</Trans>
          </p>
        </div>
      ) : trend.isError && toApiError(trend.error).status !== 401 ? (
        <ErrorNote error={trend.error} onRetry={() => void trend.refetch()} />
      ) : (
        isSlow && <PageSkeleton rows={5} />
      )}
    </section>
  );
}
