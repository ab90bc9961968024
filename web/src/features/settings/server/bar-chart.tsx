import { Trans } from "@lingui/react/macro";
import { number } from "@/i18n/numbers";
import { DataTable } from "@/ui/data-table";
import { dayLabel, niceTop } from "./figures";

interface Series {
  name: string;
  /** The colour: data-series of stats.css. */
  kind: "calm" | "pale" | "news" | "bad";
}

interface Day {
  day: string;
  /** One for each series. */
  values: readonly number[];
}

interface Props {
  title: string;
  locale: string;
  series: readonly Series[];
  days: readonly Day[];
  limit?: { value: number; name: string };
}

/**
 * Stacked bars by day. The chart is hidden from screen readers; the table below has the same numbers.
 */
export function BarChart({ title, locale, series, days, limit }: Props) {
  const sums = days.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const top = niceTop(Math.max(...sums, limit?.value ?? 0));
  const share = (value: number) => `${(100 * value) / top}%`;
  const every = Math.ceil(days.length / 8);
  return (
    <figure className="chart">
      <figcaption>
        <span className="name">{title}</span>
        <span className="keys">
          {series.map(({ name, kind }) => (
            <span key={kind} className="key" data-series={kind}>
              <i aria-hidden="true" />
              {name}
            </span>
          ))}
          {limit && (
            <span className="key" data-series="limit">
              <i aria-hidden="true" />
              {limit.name} {number(limit.value, locale)}
            </span>
          )}
        </span>
      </figcaption>
      <div className="plot" aria-hidden="true">
        <div className="axis">
          <span>{number(top, locale)}</span>
          <span>{number(top / 2, locale)}</span>
          <span>0</span>
        </div>
        <div className="bars">
          {limit && <div className="limit" style={{ bottom: share(limit.value) }} />}
          {days.map(({ day, values }, at) => (
            <div key={day} className="bar" title={`${dayLabel(day, locale, true)}: ${line(at)}`}>
              {series.map(({ kind }, of) => (
                <div key={kind} data-series={kind} style={{ height: share(values[of] ?? 0) }} />
              ))}
            </div>
          ))}
        </div>
        <div className="days">
          {days.map(({ day }, at) => (
            <span key={day}>
              {(days.length - 1 - at) % every === 0 ? dayLabel(day, locale) : ""}
            </span>
          ))}
        </div>
      </div>
      <details>
        <summary>
          <Trans>Show as table</Trans>
          <span className="sr-only">: {title}</span>
        </summary>
        <DataTable
          scrolls
          caption={<caption className="sr-only">{title}</caption>}
          columns={[
            {
              id: "day",
              title: <Trans>Day</Trans>,
              isName: true,
              cell: ({ day }) => dayLabel(day, locale, true),
            },
            ...series.map(({ name }, of) => ({
              title: name,
              className: "num",
              cell: ({ values }: Day) => number(values[of] ?? 0, locale),
            })),
          ]}
          rows={days.toReversed()}
          keyOf={({ day }) => day}
        />
      </details>
    </figure>
  );

  function line(at: number): string {
    return series
      .map(({ name }, of) => `${name} ${number(days[at]?.values[of] ?? 0, locale)}`)
      .join(", ");
  }
}
