import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { Suspense, useState } from "react";
import { toApiError } from "@/data/api-error";
import { useMe } from "@/data/me";
import { refetchStats, type Stats, useStats } from "@/data/stats";
import { go, readerPlace } from "@/data/use-route";
import { fileSize, number } from "@/i18n/numbers";
import { useCommands } from "@/keys/use-command";
import { ErrorNote } from "@/ui/error-note";
import { IconButton } from "@/ui/icon-button";
import { lazyNamed } from "@/ui/lazy-named";
import { Page } from "@/ui/page";
import { useDelayed } from "@/ui/use-delayed";
import { BarChart } from "./bar-chart";
import { Failing } from "./failing";
import { fetching, percent, pollsOf } from "./figures";
import { Month } from "./month";
import { Reading } from "./reading";
import "./stats.css";
import { Units } from "./units";

const PopularUse = lazyNamed("PopularUse", () => import("./popular-use"));
const DeadLetters = lazyNamed("DeadLetters", () => import("./dead-letters"));
const Runs = lazyNamed("Runs", () => import("./runs"));

const spans = [7, 30] as const;

/** Statistics of reading, cost and crawling, and problems that need the person. */
export function StatsScreen() {
  const { t } = useLingui();
  const client = useQueryClient();
  const me = useMe();
  const [span, setSpan] = useState<(typeof spans)[number]>(7);
  const stats = useStats(span);
  const isSlow = useDelayed(stats.isPending);

  const refresh = () => void refetchStats(client);
  useCommands({ back: () => go(readerPlace()), "feed.refresh": refresh });

  return (
    <Page
      className="stats"
      title={t`Statistics`}
      place="stats"
      busy={stats.isPending}
      actions={
        <>
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a flex row everywhere */}
          <div className="segments" role="group" aria-label={t`Time span`}>
            {spans.map((days) => (
              <button
                key={days}
                type="button"
                aria-pressed={span === days}
                onClick={() => setSpan(days)}
              >
                <Trans>{days} days</Trans>
              </button>
            ))}
          </div>
          <IconButton
            label={t`Refresh`}
            command="feed.refresh"
            icon={<RefreshCw className={stats.isFetching ? "spin" : ""} />}
            onClick={refresh}
          />
        </>
      }
    >
      <div className="grid">
        <Reading days={span} />
        <Suspense fallback={null}>
          <PopularUse days={span} />
        </Suspense>
        {stats.data ? (
          <Figures stats={stats.data} />
        ) : stats.isError && toApiError(stats.error).status !== 401 ? (
          <div className="wide">
            <ErrorNote error={stats.error} onRetry={() => void stats.refetch()} />
          </div>
        ) : (
          <>
            <span className="sr-only" role="status">
              {isSlow && <Trans>Loading…</Trans>}
            </span>
            {isSlow && <Skeleton />}
          </>
        )}
        <Suspense fallback={null}>
          {me.data?.user.isOwner && <DeadLetters />}
          <Runs />
        </Suspense>
      </div>
    </Page>
  );
}

function Figures({ stats }: { stats: Stats }) {
  const { t, i18n } = useLingui();
  const { days, units, failing } = stats;
  const hasRuns = days.some((day) => day.runs + day.lostRuns > 0);
  const lost = days.reduce((sum, day) => sum + day.lostRuns, 0);
  const all = fetching(days);
  const n = (value: number) => number(value, i18n.locale);
  return (
    <>
      <Units units={units} />
      <section className="card" aria-labelledby="writes">
        <h2 id="writes">
          <Trans>Crawling cost</Trans>
        </h2>
        {hasRuns ? (
          <BarChart
            title={t`Write units per day`}
            locale={i18n.locale}
            series={[{ name: t`Crawling`, kind: "calm" }]}
            days={days.map((day) => ({ day: day.day, values: [day.tableWrites] }))}
            {...(units.writeBudget !== null && {
              limit: { value: units.writeBudget, name: t`Budget` },
            })}
          />
        ) : (
          <p className="hint">
            <Trans>Figures appear after the first crawl.</Trans>
          </p>
        )}
      </section>
      <Month />
      <section className="card wide" aria-labelledby="polls">
        <h2 id="polls">
          <Trans>Fetch results</Trans>
        </h2>
        {hasRuns ? (
          <>
            <BarChart
              title={t`Fetches per day`}
              locale={i18n.locale}
              series={[
                { name: t`Unchanged`, kind: "calm" },
                { name: t`Changed`, kind: "news" },
                { name: t`Failed`, kind: "bad" },
              ]}
              days={days.map((day) => {
                const { quiet, changed, failed } = pollsOf(day);
                return { day: day.day, values: [quiet, changed, failed] };
              })}
            />
            <dl className="sums">
              <div>
                <dt>
                  <Trans>Fetches</Trans>
                </dt>
                <dd>{n(all.polled)}</dd>
              </div>
              <div>
                <dt>
                  <Trans>Not modified (304)</Trans>
                </dt>
                <dd>{percent(all.notModified, all.polled, i18n.locale)}</dd>
              </div>
              <div>
                <dt>
                  <Trans>Failed</Trans>
                </dt>
                <dd>{percent(all.failed, all.polled, i18n.locale)}</dd>
              </div>
              <div>
                <dt>
                  <Trans>Data received</Trans>
                </dt>
                <dd>{fileSize(all.bytes, i18n.locale)}</dd>
              </div>
              <div>
                <dt>
                  <Trans>New articles</Trans>
                </dt>
                <dd>{n(all.newItems)}</dd>
              </div>
            </dl>
            {lost > 0 && (
              <p className="hint">
                <Plural
                  value={lost}
                  one="# run was interrupted. No data was lost."
                  other="# runs were interrupted. No data was lost."
                />
              </p>
            )}
          </>
        ) : (
          <p className="hint">
            <Trans>Figures appear after the first crawl.</Trans>
          </p>
        )}
      </section>
      <Failing feeds={failing} />
    </>
  );
}

/** Has the heights of the figures, so that nothing moves. */
function Skeleton() {
  return (
    <>
      {["card", "card", "card wide"].map((kind, at) => (
        <div key={`${kind} ${String(at)}`} className={kind} aria-hidden="true">
          <div className="skeleton mb-4 h-5 w-40" />
          <div className="skeleton h-44" />
        </div>
      ))}
    </>
  );
}
