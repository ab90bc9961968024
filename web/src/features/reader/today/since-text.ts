import { t } from "@lingui/core/macro";
import { cached } from "@/i18n/format";

const day = 24 * 60 * 60_000;

/** What is new since when, in the days of the reader: "126 new since 7:12 AM yesterday". */
export function newSince(count: string, since: string, now: number, locale: string): string {
  const { when, isYesterday } = whenText(since, now, locale);
  return isYesterday ? t`${count} new since ${when} yesterday` : t`${count} new since ${when}`;
}

export function nothingSince(since: string, now: number, locale: string): string {
  const { when, isYesterday } = whenText(since, now, locale);
  return isYesterday ? t`Nothing new since ${when} yesterday` : t`Nothing new since ${when}`;
}

/** The same without the number, to stand below it. */
export function sinceAlone(since: string, now: number, locale: string): string {
  const { when, isYesterday } = whenText(since, now, locale);
  return isYesterday ? t`since ${when} yesterday` : t`since ${when}`;
}

/** The time; before yesterday with its day, before a week the date. */
function whenText(since: string, now: number, locale: string) {
  const then = new Date(since);
  const midnight = (time: number) => new Date(time).setHours(0, 0, 0, 0);
  // Days are not always 24 hours long.
  const days = Math.round((midnight(now) - midnight(then.getTime())) / day);
  const time = { hour: "numeric", minute: "2-digit" } as const;
  const [name, options]: [string, Intl.DateTimeFormatOptions] =
    days < 2
      ? ["time", time]
      : days < 7
        ? ["day", { weekday: "long", ...time }]
        : ["date", { month: "long", day: "numeric" }];
  const format = cached(`since|${locale}|${name}`, () => new Intl.DateTimeFormat(locale, options));
  return { when: format.format(then).replace(/\s(?=[AP]M)/, "\u00a0"), isYesterday: days === 1 };
}
