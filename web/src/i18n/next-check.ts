import type { I18n, MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import type { Feed } from "@/data/types";

const reasons: Record<string, MessageDescriptor> = {
  default: msg`default`,
  asked: msg`set by a subscriber`,
  quiet: msg`rarely updated`,
  max_age: msg`requested by the server`,
  ttl: msg`requested by the feed`,
  fickle: msg`the server always reports a change`,
  no_validators: msg`the feed does not report changes`,
  hub: msg`the publisher pushes new articles`,
  spread: msg`just added; spread out to avoid peaks`,
  skip: msg`skip hours set by the feed`,
  deferred: msg`the site responded slowly`,
  back_off: msg`delayed after a failed check`,
  retry_after: msg`the site asked to wait`,
  waiting: msg`just added; will be fetched soon`,
  stopped: msg({ message: "Paused", context: "feed" }),
  probe: msg`stopped; retried once a day for a week`,
  no_subscribers: msg`no subscribers`,
};

/** The reason for the time of the next check if it is not simply the interval's; the server's message for an unknown code. */
export function reasonFor(feed: Feed): MessageDescriptor | string {
  return reasons[feed.nextCheckReason.code] ?? feed.nextCheckReason.message;
}

/** The interval in force, like "Checks every hour", and "Checks every 2 hours (your choice)". */
export function checksText(feed: Feed, i18n: I18n): string {
  const { intervalMinutes: minutes, intervalReason } = feed;
  const hours = minutes / 60;
  const every =
    Number.isInteger(hours) && hours > 0
      ? t(i18n)`${plural(hours, { one: "Checks every hour", other: "Checks every # hours" })}`
      : t(i18n)`Checks every ${minutes} min`;
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
