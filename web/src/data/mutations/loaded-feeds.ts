import type { QueryClient } from "@tanstack/react-query";
import { feedsKey, feedsQuery, updateFeeds } from "../feeds";
import type { Counts, Feed, FeedId, Totals } from "../types";

/** The feeds as last loaded; empty before. */
export function loadedFeeds(client: QueryClient): readonly Feed[] {
  return client.getQueryData(feedsQuery.queryKey)?.feeds ?? [];
}

/** Replaces a feed in the loaded list, or appends it. */
export function applyFeed(client: QueryClient, feed: Feed): void {
  updateFeeds(client, (list) => ({
    ...list,
    feeds: list.feeds.some(({ id }) => id === feed.id)
      ? list.feeds.map((other) => (other.id === feed.id ? feed : other))
      : [...list.feeds, feed],
  }));
}

export function dropFeed(client: QueryClient, id: FeedId): void {
  updateFeeds(client, (list) => ({ ...list, feeds: list.feeds.filter((feed) => feed.id !== id) }));
}

/** Shows the counts of an answer from the server. */
export function applyCounts(client: QueryClient, feeds: readonly Counts[], totals: Totals): void {
  const byId = new Map(feeds.map((one) => [one.id, one]));
  updateFeeds(client, (list) => ({
    ...list,
    totals,
    feeds: list.feeds.map((feed) => {
      const { unreadCount, hasUnread } = byId.get(feed.id) ?? feed;
      const isSame = unreadCount === feed.unreadCount && hasUnread === feed.hasUnread;
      return isSame ? feed : { ...feed, unreadCount, hasUnread };
    }),
  }));
  // A list of feeds that was requested before this answer may arrive after it.
  if (client.isFetching({ queryKey: feedsKey }) > 0) {
    void client.invalidateQueries({ queryKey: feedsKey });
  }
}
