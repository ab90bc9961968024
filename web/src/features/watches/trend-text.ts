import type { I18n } from "@lingui/core";
import { plural, t } from "@lingui/core/macro";
import type { TrendDay } from "@/data/watches";
import { cached } from "@/i18n/format";
import { money } from "@/i18n/money";

/** A day of a trend; days are UTC. */
export function dayText(day: string, locale: string, style: "short" | "long"): string {
  const format = cached(
    `trend|${locale}|${style}`,
    () =>
      new Intl.DateTimeFormat(locale, {
        timeZone: "UTC",
        ...(style === "long"
          ? { year: "numeric", month: "short", day: "numeric", weekday: "short" }
          : { month: "numeric", day: "numeric" }),
      }),
  );
  return format.format(Date.parse(`${day}T00:00:00Z`));
}

/** When a day of a trend ends, for the reader: the server counts days in UTC. */
export function dayEnd(now: number, locale: string, timeZone?: string): string {
  return new Intl.DateTimeFormat(locale, {
    hour: "numeric",
    minute: "2-digit",
    ...(timeZone ? { timeZone } : {}),
  }).format(new Date(now).setUTCHours(24, 0, 0, 0));
}

/** What a day says, in one sentence; shown below the chart and spoken. */
export function pointText(day: TrendDay, currency: string, i18n: I18n): string {
  const amount = (value: number) => money(value, currency, i18n.locale);
  const parts = [
    day.lowest === null ? t(i18n)`no price` : t(i18n)`lowest ${amount(day.lowest)}`,
    day.p25 !== null && day.p75 !== null
      ? t(i18n)`middle half ${amount(day.p25)} – ${amount(day.p75)}`
      : "",
    t(i18n)`${plural(day.onSale, { one: "# on sale", other: "# on sale" })}`,
    day.sold > 0 && day.soldMedian !== null
      ? t(
          i18n,
        )`${plural(day.sold, { one: "# sold", other: "# sold" })}, median ${amount(day.soldMedian)}`
      : day.sold > 0
        ? t(i18n)`${plural(day.sold, { one: "# sold", other: "# sold" })}`
        : "",
  ].filter((part) => part !== "");
  return `${dayText(day.day, i18n.locale, "long")}: ${parts.join(i18n.locale === "ja" ? "、" : ", ")}`;
}
