import type { RunDay } from "@/data/stats";

/** A round number at or above the value, for the top of an axis; its half is round too. */
export function niceTop(value: number): number {
  if (value <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 5, 6, 8, 10].find((one) => one * power >= value) ?? 10;
  return step * power;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Days are UTC. */
export function dayLabel(day: string, locale: string, isLong = false): string {
  const key = `${locale}|${isLong}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(locale, {
      timeZone: "UTC",
      ...(isLong
        ? { weekday: "short", month: "short", day: "numeric" }
        : { month: "numeric", day: "numeric" }),
    });
    formats.set(key, format);
  }
  return format.format(Date.parse(`${day}T00:00:00Z`));
}

/** The polls of a day by outcome; each poll has one of the three. */
export function pollsOf(day: RunDay): { quiet: number; changed: number; failed: number } {
  return { quiet: day.notModified + day.unchanged, changed: day.changed, failed: day.failed };
}

export type Level = "ok" | "warn" | "err";

/** A warning from 80 % of the budget. */
export function levelOf(spent: number, budget: number): Level {
  if (spent > budget) return "err";
  return spent >= budget * 0.8 ? "warn" : "ok";
}

export function seconds(milliseconds: number, locale: string): string {
  return new Intl.NumberFormat(locale, {
    style: "unit",
    unit: "second",
    unitDisplay: "narrow",
    maximumFractionDigits: milliseconds < 10_000 ? 1 : 0,
  }).format(milliseconds / 1000);
}

/** The free tier that is taken into account. */
export type Free = "none" | "always" | "year";

interface Sums {
  usd: number;
  alwaysUSD: number;
  yearUSD: number;
}

export function paid(sums: Sums, free: Free): number {
  return free === "none" ? sums.usd : free === "always" ? sums.alwaysUSD : sums.yearUSD;
}

/** The sums of each service, the most expensive first, without free ones. */
export function byService(lines: readonly (Sums & { service: string })[]) {
  const services = new Map<string, Sums & { service: string }>();
  for (const { service, usd, alwaysUSD, yearUSD } of lines) {
    const sum = services.get(service) ?? { service, usd: 0, alwaysUSD: 0, yearUSD: 0 };
    sum.usd += usd;
    sum.alwaysUSD += alwaysUSD;
    sum.yearUSD += yearUSD;
    services.set(service, sum);
  }
  return [...services.values()].filter(({ usd }) => usd > 0).sort((a, b) => b.usd - a.usd);
}

interface Fetching {
  polled: number;
  notModified: number;
  failed: number;
  bytes: number;
  newItems: number;
}

/** The sums of some days. */
export function fetching(days: readonly Fetching[]): Fetching {
  const sum = { polled: 0, notModified: 0, failed: 0, bytes: 0, newItems: 0 };
  for (const day of days) {
    sum.polled += day.polled;
    sum.notModified += day.notModified;
    sum.failed += day.failed;
    sum.bytes += day.bytes;
    sum.newItems += day.newItems;
  }
  return sum;
}

export function percent(part: number, whole: number, locale: string): string {
  return new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 }).format(
    whole > 0 ? part / whole : 0,
  );
}
