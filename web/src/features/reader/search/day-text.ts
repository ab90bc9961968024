import { cached } from "@/i18n/format";

/** A day ("2026-05-03") or a time, as a date. */
export function dayText(when: string, locale: string): string {
  const time = when.length === 10 ? new Date(`${when}T00:00`) : new Date(when);
  if (Number.isNaN(time.getTime())) return when;
  return cached(
    `m|${locale}`,
    () => new Intl.DateTimeFormat(locale, { dateStyle: "medium" }),
  ).format(time);
}

/** The day so many days before a time, in the local time zone. */
export function dayBefore(now: number, days: number): string {
  const then = new Date(now);
  then.setDate(then.getDate() - days);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())}`;
}
