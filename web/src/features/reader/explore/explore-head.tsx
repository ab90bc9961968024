import { useLingui } from "@lingui/react/macro";
import { X } from "lucide-react";
import { useEffect } from "react";
import { note } from "@/data/notes";
import { type Explore, periods, readerPath, tabs, thresholds } from "@/data/routes";
import type { StreamPage } from "@/data/stream";
import { go } from "@/data/use-route";
import { Link } from "@/ui/link";
import { CountsOff } from "./counts-off";
import { explorePath } from "./explore-path";
import { YahooCredit } from "./yahoo-credit";
import "../search/search.css";

interface Props {
  explored: Explore;
  related: readonly string[] | undefined;
  namesYahoo: boolean | undefined;
  counts: StreamPage["counts"];
}

/** What is popular: in which order, from how many bookmarks on, how new, and with which tag. All of it is in the address. */
export function ExploreHead({ explored, related = [], namesYahoo, counts }: Props) {
  const { t } = useLingui();
  const path = (patch: Partial<Explore>) => readerPath({ kind: "explore", ...explored, ...patch });
  const tabNames: Record<Explore["tab"], string> = {
    hot: t`Hot`,
    rising: t`Rising`,
    new: t`New`,
    tags: t`Tags`,
  };
  const { tab, tag } = explored;
  useEffect(() => note("tags", tag), [tag]);
  const periodNames: Record<Explore["period"], string> = {
    day: t`Past day`,
    week: t`Past week`,
    month: t`Past 30 days`,
    all: t`Any time`,
  };
  return (
    <div className="search-head">
      <nav className="search-chips" aria-label={t`Popular articles`}>
        {tabs.map((one) => (
          <Link
            key={one}
            className="chip"
            href={one === "tags" || tab === "tags" ? explorePath({ tab: one }) : path({ tab: one })}
            aria-current={one === tab ? "page" : undefined}
          >
            {tabNames[one]}
          </Link>
        ))}
        {tab !== "tags" && counts === "ready" && (
          <select
            aria-label={t`Bookmarks`}
            value={explored.threshold}
            onChange={({ target }) =>
              go(path({ threshold: Number(target.value) as Explore["threshold"] }))
            }
          >
            {(tag === "" ? thresholds : [0, ...thresholds]).map((threshold) => (
              <option key={threshold} value={threshold}>
                {threshold === 0 ? t`Any bookmarks` : t`${threshold}+ bookmarks`}
              </option>
            ))}
          </select>
        )}
        <select
          aria-label={t`Published`}
          value={explored.period}
          onChange={({ target }) => go(path({ period: target.value as Explore["period"] }))}
        >
          {periods
            .filter((one) => one !== "all" || tab !== "tags")
            .map((period) => (
              <option key={period} value={period}>
                {periodNames[period]}
              </option>
            ))}
        </select>
        {tag !== "" && (
          <Link
            className="chip"
            href={explorePath({ tab })}
            aria-label={t`Articles with any tag, not only ${tag}`}
          >
            {tag} <X className="size-3" />
          </Link>
        )}
      </nav>
      {related.length > 0 && (
        <nav className="search-chips" aria-label={t`Related tags`}>
          <span className="label" aria-hidden="true">
            {t`Related tags`}
          </span>
          {related.map((name) => (
            <Link key={name} className="chip" href={explorePath({ tab: "new", tag: name })}>
              {name}
            </Link>
          ))}
        </nav>
      )}
      {tag !== "" && namesYahoo && <YahooCredit />}
      {counts === "off" && <CountsOff />}
    </div>
  );
}
