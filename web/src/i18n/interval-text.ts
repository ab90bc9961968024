import type { I18n } from "@lingui/core";
import { plural, t } from "@lingui/core/macro";
import type { Feed } from "@/data/types";
import { reasons } from "./next-check";

/** The interval in force, like "Checks every hour", and "Checks every 2 hours (your choice)". */
export function checksText(feed: Feed, i18n: I18n): string {
  const { intervalMinutes: minutes, intervalReason } = feed;
  const hours = minutes / 60;
  const every =
    Number.isInteger(hours) && hours > 0
      ? t(i18n)`${plural(hours, { one: "Checks every hour", other: "Checks every # hours" })}`
      : t(i18n)`Checks every ${minutes} min`;
  if (intervalReason.code === "budget") return intervalText(feed, i18n);
  return intervalReason.code === "asked" ? chosen(every, feed, i18n) : every;
}

function chosen(every: string, feed: Feed, i18n: I18n): string {
  return feed.ownIntervalMinutes > 0
    ? t(i18n)`${every} (your choice)`
    : t(i18n)`${every} (another subscriber's choice)`;
}

/** The interval in force and its reason, like "Every 2 hours: the feed does not say when it changes". */
export function intervalText(feed: Feed, i18n: I18n): string {
  const { code, message } = feed.intervalReason;
  const every = everyText(feed.intervalMinutes, i18n);
  if (code === "default") return every;
  if (code === "asked") return chosen(every, feed, i18n);
  const known = reasons[code];
  const why = known ? i18n._(known) : message;
  return t(i18n)`${every}: ${why}`;
}

function everyText(minutes: number, i18n: I18n): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours === 0) return t(i18n)`Every ${minutes} min`;
  if (rest > 0) return t(i18n)`Every ${hours} h ${rest} min`;
  return t(i18n)`${plural(hours, { one: "Every hour", other: "Every # hours" })}`;
}
