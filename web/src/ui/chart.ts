import type { TrendDay } from "@/data/watches";

/** The range of a vertical axis, with round steps. */
export interface Scale {
  low: number;
  high: number;
  ticks: readonly number[];
}

/** Round bounds around the values, with three to six ticks; null without values. `unit` is the smallest step. */
export function scaleOf(values: readonly number[], unit = 1): Scale | null {
  if (values.length === 0) return null;
  const least = Math.min(...values);
  const most = Math.max(...values);
  const span = Math.max(most - least, most * 0.04, unit * 2);
  const power = 10 ** Math.floor(Math.log10(span / 3));
  const step = Math.max(
    unit,
    power * ([1, 2, 2.5, 5, 10].find((one) => one * power >= span / 4) ?? 10),
  );
  const low = Math.max(0, Math.floor(least / step) * step);
  const count = Math.max(2, Math.ceil((most - low) / step));
  const ticks = Array.from({ length: count + 1 }, (_, at) => low + at * step);
  return { low, high: low + count * step, ticks };
}

/** All amounts of a trend. */
export function amountsOf(days: readonly TrendDay[]): number[] {
  return days
    .flatMap(({ lowest, p25, p75, soldMedian }) => [lowest, p25, p75, soldMedian])
    .filter((one) => one !== null);
}

/** The plot is `height` high; a day is one unit wide. */
export const height = 100;

export function y(value: number, { low, high }: Scale): number {
  return round(height - (height * (value - low)) / (high - low));
}

/** A line in steps: a value holds for its day. Days without one interrupt it. */
export function stepPath(values: readonly (number | null)[], scale: Scale): string {
  return runsOf(values)
    .map(({ from, run }) =>
      run
        .map((value, at) => `${at === 0 ? `M${from} ` : "V"}${y(value, scale)}H${from + at + 1}`)
        .join(""),
    )
    .join("");
}

/** The area between two lines in steps, on the days that have both. */
export function bandPath(
  lower: readonly (number | null)[],
  upper: readonly (number | null)[],
  scale: Scale,
): string {
  const both = lower.map((low, at) => {
    const high = upper[at] ?? null;
    return low === null || high === null ? null : ([low, high] as const);
  });
  return runsOf(both)
    .map(({ from, run }) => {
      const there = run.map(
        ([, high], at) => `${at === 0 ? `M${from} ` : "V"}${y(high, scale)}H${from + at + 1}`,
      );
      const back = run.map(([low], at) => `V${y(low, scale)}H${from + at}`).reverse();
      return `${there.join("")}${back.join("")}Z`;
    })
    .join("");
}

/** Dots in the middle of their days: lines of no length, which round caps make round at any aspect ratio. */
export function dotPath(values: readonly (number | null)[], scale: Scale): string {
  return values
    .map((value, at) => (value === null ? "" : `M${at + 0.5} ${y(value, scale)}h0`))
    .join("");
}

/** Longest runs of values that are not null. */
function runsOf<T>(values: readonly (T | null)[]): { from: number; run: T[] }[] {
  const runs: { from: number; run: T[] }[] = [];
  values.forEach((value, at) => {
    if (value === null) return;
    const last = runs.at(-1);
    if (last && last.from + last.run.length === at) last.run.push(value);
    else runs.push({ from: at, run: [value] });
  });
  return runs;
}

/** At most `most` of the days, evenly spread and with the last one, for the labels below. */
export function labelledDays(count: number, most: number): number[] {
  const every = Math.max(1, Math.ceil(count / most));
  return Array.from({ length: count }, (_, at) => at).filter(
    (at) => (count - 1 - at) % every === 0,
  );
}

/** Prices since times as a line that reaches to `until`; times in seconds. For a box of 100 by `height`. */
export function pricePath(prices: readonly (readonly (number | null)[])[], until: number): string {
  const amounts = prices.map(([, price]) => price ?? null).filter((one) => one !== null);
  const start = prices[0]?.[0] ?? until;
  const span = Math.max(1, until - start);
  const low = Math.min(...amounts);
  const high = Math.max(...amounts);
  // A price may be newer than `until`, by another clock.
  const x = (at: number) => round(100 * Math.min(1, Math.max(0, (at - start) / span)));
  const level = (price: number) =>
    high === low ? height / 2 : round(height - (height * (price - low)) / (high - low));
  return prices
    .map(([at, price], index) => {
      if (price === null || price === undefined) return "";
      const isOn = (prices[index - 1]?.[1] ?? null) !== null;
      const end = prices[index + 1]?.[0] ?? until;
      return `${isOn ? "V" : `M${x(at ?? start)} `}${level(price)}H${x(end)}`;
    })
    .join("");
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
