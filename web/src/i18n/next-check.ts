import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Feed } from "@/data/types";

export const reasons: Record<string, MessageDescriptor> = {
  default: msg`default`,
  asked: msg`chosen interval`,
  quiet: msg`rarely updated`,
  max_age: msg`requested by the server`,
  ttl: msg`requested by the feed`,
  fickle: msg`the server always reports a change`,
  no_validators: msg`the feed does not report changes`,
  budget: msg`the monthly cost limit is near`,
  hub: msg`the publisher pushes new articles`,
  spread: msg`just added; spread out to avoid peaks`,
  skip: msg`skip hours set by the feed`,
  deferred: msg`the site responded slowly`,
  back_off: msg`delayed after a failed check`,
  retry_after: msg`the site asked to wait`,
  waiting: msg`just added; will be fetched soon`,
  stopped: msg({ message: "Paused", context: "feed" }),
  probe: msg`paused; checks whether the feed is back`,
  no_subscribers: msg`no subscribers`,
};

/** The reason for the time of the next check if it is not simply the interval's; the server's message for an unknown code. */
export function reasonFor(feed: Feed): MessageDescriptor | string {
  return reasons[feed.nextCheckReason.code] ?? feed.nextCheckReason.message;
}
