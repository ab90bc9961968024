import { cached, dayName, dayOf } from "./format";

/** "today 5:12 PM" and "yesterday 5:12 PM", else the date; the year only when it is another. */
export function dayTime(iso: string, now: number, locale: string): string {
  const then = Date.parse(iso);
  if (Number.isNaN(then)) return "";
  const start = dayOf(iso);
  const today = new Date(now).setHours(0, 0, 0, 0);
  const isNear = start === today || start === new Date(today).setHours(-24);
  const isSame = new Date(then).getFullYear() === new Date(now).getFullYear();
  const text = cached(
    `dt|${locale}|${isNear}|${isSame}`,
    () =>
      new Intl.DateTimeFormat(locale, {
        ...(isNear ? {} : { month: "short", day: "numeric" }),
        ...(isSame ? {} : { year: "numeric" }),
        hour: "numeric",
        minute: "2-digit",
      }),
  ).format(then);
  return isNear ? `${dayName(start, today, locale)} ${text}` : text;
}
