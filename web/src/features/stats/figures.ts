import type { RunDay } from "@/data/stats";

/** A round number at or above the value: the top of an axis, and its half is round too. */
export function niceTop(value: number): number {
  if (value <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 5, 6, 8, 10].find((one) => one * power >= value) ?? 10;
  return step * power;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Days are those of UTC, whatever zone the reader sits in. */
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

/** What a day's polls came to; each poll is in one of the three. */
export function pollsOf(day: RunDay): { quiet: number; changed: number; failed: number } {
  return { quiet: day.notModified + day.unchanged, changed: day.changed, failed: day.failed };
}

export type Level = "ok" | "warn" | "err";

/** From four fifths of a budget on it is worth a look. */
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
