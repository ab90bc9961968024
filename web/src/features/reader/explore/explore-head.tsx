import { useLingui } from "@lingui/react/macro";
import { type Explore, periods, readerPath, tabs, thresholds } from "@/data/routes";
import { go } from "@/data/use-route";
import { Link } from "@/ui/link";
import "../search/search.css";

/** What is popular: in which order, from how many bookmarks on, and how new. All of it is in the address. */
export function ExploreHead({ explored }: { explored: Explore }) {
  const { t } = useLingui();
  const path = (patch: Partial<Explore>) => readerPath({ kind: "explore", ...explored, ...patch });
  const tabNames: Record<Explore["tab"], string> = { hot: t`Hot`, rising: t`Rising`, new: t`New` };
  const periodNames: Record<Explore["period"], string> = {
    day: t`Past day`,
    week: t`Past week`,
    month: t`Past 30 days`,
    all: t`Any time`,
  };
  return (
    <div className="search-head">
      <nav className="search-chips" aria-label={t`Popular articles`}>
        {tabs.map((tab) => (
          <Link
            key={tab}
            className="chip"
            href={path({ tab })}
            aria-current={tab === explored.tab ? "page" : undefined}
          >
            {tabNames[tab]}
          </Link>
        ))}
        <select
          aria-label={t`Bookmarks`}
          value={explored.threshold}
          onChange={({ target }) =>
            go(path({ threshold: Number(target.value) as Explore["threshold"] }))
          }
        >
          {thresholds.map((threshold) => (
            <option key={threshold} value={threshold}>
              {t`${threshold}+ bookmarks`}
            </option>
          ))}
        </select>
        <select
          aria-label={t`Published`}
          value={explored.period}
          onChange={({ target }) => go(path({ period: target.value as Explore["period"] }))}
        >
          {periods.map((period) => (
            <option key={period} value={period}>
              {periodNames[period]}
            </option>
          ))}
        </select>
      </nav>
    </div>
  );
}
