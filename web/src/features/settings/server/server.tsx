import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { Suspense, useState } from "react";
import { useSite } from "@/data/account/people";
import { refetchStats, type Stats, useStats } from "@/data/stats";
import { relativeTime } from "@/i18n/format";
import { fileSize, number } from "@/i18n/numbers";
import { useNow } from "@/i18n/use-now";
import { useCommands } from "@/keys/use-command";
import { IconButton } from "@/ui/icon-button";
import { lazyNamed } from "@/ui/lazy-named";
import { Note } from "@/ui/note";
import { Asked } from "../parts";
import { BarChart } from "./bar-chart";
import { fetching, percent, pollsOf } from "./figures";
import { Month } from "./month";
import "./server.css";
import { Units } from "./units";

const PopularUse = lazyNamed("PopularUse", () => import("./popular-use"));
const DeadLetters = lazyNamed("DeadLetters", () => import("./dead-letters"));
const Runs = lazyNamed("Runs", () => import("./runs"));

const spans = [7, 30] as const;

/** What the server does and costs; for the owner. */
export function Server() {
  const { t } = useLingui();
  const client = useQueryClient();
  const [span, setSpan] = useState<(typeof spans)[number]>(7);
  const stats = useStats(span);
  const refresh = () => void refetchStats(client);
  useCommands({ "feed.refresh": refresh });
  return (
    <div className="server" aria-busy={stats.isPending}>
      <div className="acts">
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
      </div>
      <Asked query={stats}>{(data) => <Figures stats={data} />}</Asked>
      <Month />
      <Backups />
      <Suspense fallback={null}>
        <DeadLetters />
        <Runs />
        <PopularUse days={span} />
      </Suspense>
    </div>
  );
}

/** When the last backup of a folder or bucket was made, and why they fail. */
function Backups() {
  const { i18n } = useLingui();
  const now = useNow();
  const backup = useSite().data?.backup;
  const ago = (at: string | null | undefined) => (at ? relativeTime(at, now, i18n.locale) : "");
  const last = ago(backup?.lastAt);
  const since = ago(backup?.failingSince);
  return (
    <section className="card" aria-labelledby="backups">
      <h2 id="backups">
        <Trans>Backups</Trans>
      </h2>
      {backup?.error && (
        <Note kind="warn">
          <Trans>Backups have been failing since {since}.</Trans> {backup.error.message}{" "}
          {backup.error.action}
        </Note>
      )}
      {last && (
        <p>
          <Trans>Last backup: {last}</Trans>
        </p>
      )}
      <p>
        <Trans>
          With <code>RURI_BACKUPS</code>, the server makes one every night in a folder or bucket.{" "}
          <code>ruri backup FILE</code> makes one now, and <code>ruri restore FILE</code> reads it.
        </Trans>
      </p>
    </section>
  );
}

function Figures({ stats }: { stats: Stats }) {
  const { t, i18n } = useLingui();
  const { days, units } = stats;
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
      <section className="card" aria-labelledby="polls">
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
    </>
  );
}
