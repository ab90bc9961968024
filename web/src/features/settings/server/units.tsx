import { Trans, useLingui } from "@lingui/react/macro";
import type { Stats } from "@/data/stats";
import { clockTime } from "@/i18n/clock-time";
import { number } from "@/i18n/numbers";
import { useNow } from "@/i18n/use-now";
import { type Level, levelOf } from "./figures";

/** Today's write units, and the budget where there is one. */
export function Units({ units }: { units: Stats["units"] }) {
  const { t, i18n } = useLingui();
  const now = useNow();
  const spent = units.crawlWrites + units.readerWrites;
  const budget = units.writeBudget;
  const n = (value: number) => number(value, i18n.locale);
  const since = clockTime(units.countedSince, now, i18n.locale);
  return (
    <section className="card" aria-labelledby="units">
      <h2 id="units">
        <Trans>Write units today</Trans>
      </h2>
      <p className="big">
        {n(spent)}
        {budget !== null && <Verdict spent={spent} budget={budget} />}
      </p>
      {budget !== null && (
        <Meter
          label={t`Write units today`}
          spent={spent}
          budget={budget}
          level={levelOf(spent, budget)}
        />
      )}
      <dl className="facts">
        <dt>
          <Trans>Crawling</Trans>
        </dt>
        <dd>{n(units.crawlWrites)}</dd>
        <dt>
          <Trans>Reading</Trans>
        </dt>
        <dd>{n(units.readerWrites)}</dd>
        <dt>
          <Trans>Cache (counted separately)</Trans>
        </dt>
        <dd>{n(units.cacheWrites)}</dd>
        <dt>
          <Trans>Read units for crawling</Trans>
        </dt>
        <dd>{n(units.crawlReads)}</dd>
      </dl>
      <p className="hint">
        <Trans>Reading and cache are counted on this server since {since}. Days are in UTC.</Trans>
      </p>
    </section>
  );
}

interface Spent {
  spent: number;
  budget: number;
}

function Verdict({ spent, budget }: Spent) {
  const { i18n } = useLingui();
  const level = levelOf(spent, budget);
  return (
    <>
      {" "}
      <small>
        <Trans>of {number(budget, i18n.locale)}</Trans>
      </small>
      <span className="verdict" data-level={level}>
        {level === "ok" ? (
          <Trans>Within the budget</Trans>
        ) : level === "warn" ? (
          <Trans>Close to the budget</Trans>
        ) : (
          <Trans>Over the budget</Trans>
        )}
      </span>
    </>
  );
}

/** How much of a budget is used. */
export function Meter({ label, spent, budget, level }: Spent & { label: string; level: Level }) {
  const percent = Math.round((100 * spent) / budget);
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers do not let <meter> take our colours
    <div
      className="meter"
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={budget}
      aria-valuenow={Math.min(spent, budget)}
      aria-valuetext={`${percent}%`}
      data-level={level}
    >
      <div style={{ width: `${Math.min(100, percent)}%` }} />
    </div>
  );
}
