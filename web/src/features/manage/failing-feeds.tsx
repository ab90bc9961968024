import { Trans } from "@lingui/react/macro";
import type { Feed } from "@/data/types";
import { FailingFeedRow } from "./failing-feed-row";
import type { SubscriptionActions } from "./use-subscription-actions";

/** Feeds that have stopped, then those that fail, the longest first. */
export function failingFeeds(feeds: readonly Feed[]): Feed[] {
  const since = (feed: Feed) => feed.error?.since ?? "";
  return feeds
    .filter((feed) => feed.status === "stopped" || feed.status === "error")
    .sort(
      (a, b) =>
        Number(b.status === "stopped") - Number(a.status === "stopped") ||
        since(a).localeCompare(since(b)),
    );
}

export function FailingFeeds({
  feeds,
  actions,
}: {
  feeds: readonly Feed[];
  actions: SubscriptionActions;
}) {
  return (
    <section className="card trouble" aria-labelledby="trouble">
      <h2 id="trouble">
        <Trans>Feeds with problems</Trans> <span className="count">{feeds.length}</span>
      </h2>
      <ul>
        {feeds.map((feed) => (
          <li key={feed.id} data-row>
            <FailingFeedRow feed={feed} actions={actions} isLinked />
          </li>
        ))}
      </ul>
    </section>
  );
}
