import { cached } from "./format";

/** The time of day, with the date when it is not within 18 hours. */
export function clockTime(iso: string, now: number, locale: string, timeZone?: string): string {
  const then = Date.parse(iso);
  if (Number.isNaN(then)) return "";
  const near = Math.abs(then - now) < 18 * 60 * 60_000;
  return cached(
    `c|${locale}|${near}|${timeZone}`,
    () =>
      new Intl.DateTimeFormat(locale, {
        ...(near ? {} : { month: "short", day: "numeric" }),
        hour: "numeric",
        minute: "2-digit",
        ...(timeZone ? { timeZone } : {}),
      }),
  ).format(then);
}
