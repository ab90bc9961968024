import type { I18n, MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import type { Feed } from "@/data/types";

const reasons: Record<string, MessageDescriptor> = {
  default: msg`default`,
  asked: msg`a subscriber chose it`,
  quiet: msg`rarely updated`,
  max_age: msg`the server asks for it`,
  ttl: msg`the feed asks for it`,
  fickle: msg`the server marks every answer as changed`,
  no_validators: msg`the feed does not say when it changes`,
  hub: msg`the publisher sends new items at once`,
  spread: msg`just added, and spread so that not all come at once`,
  skip: msg`the feed asks not to be fetched at certain hours`,
  deferred: msg`the site was too slow this time`,
  back_off: msg`the last check failed, so it waits longer`,
  retry_after: msg`the site asked to wait until then`,
  waiting: msg`just added, fetched as soon as possible`,
  stopped: msg`stopped until it is resumed`,
  probe: msg`stopped; for a week it is tried once a day whether it is back`,
  no_subscribers: msg`nobody subscribes to it`,
};

/** Why the next check is then; a code this page does not know yet keeps the server's own sentence. */
export function reasonFor(feed: Feed): MessageDescriptor | string {
  return reasons[feed.nextCheckReason.code] ?? feed.nextCheckReason.message;
}

/** The interval in force and its reason, like "Every 2 hours: the feed does not say when it changes". */
export function intervalText(feed: Feed, i18n: I18n): string {
  const { code, message } = feed.intervalReason;
  const known = reasons[code];
  const why = known ? i18n._(known) : message;
  const every = everyText(feed.intervalMinutes, i18n);
  return t(i18n)`${every}: ${why}`;
}

function everyText(minutes: number, i18n: I18n): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours === 0) return t(i18n)`Every ${minutes} min`;
  if (rest > 0) return t(i18n)`Every ${hours} h ${rest} min`;
  return t(i18n)`${plural(hours, { one: "Every hour", other: "Every # hours" })}`;
}
