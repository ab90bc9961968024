import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Feed } from "@/data/types";

const reasons: Record<string, MessageDescriptor> = {
  default: msg`the usual hour`,
  asked: msg`the interval you chose`,
  quiet: msg`it changes seldom`,
  max_age: msg`the server says its answer is fresh until then`,
  ttl: msg`the feed asks for this interval`,
  fickle: msg`the server calls everything new although nothing changed`,
  no_validators: msg`the server cannot say what is new, so it is asked once a day`,
  hub: msg`the publisher sends news at once; this only makes sure`,
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
