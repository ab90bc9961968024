import type { QueryClient } from "@tanstack/react-query";
import { updateFeeds } from "./feeds";
import type { FeedId } from "./types";

/** Adds changes that the server has not confirmed yet to the counts of a feed; no count falls below zero. */
export function shiftCounts(client: QueryClient, id: FeedId, unread: number, starred = 0): void {
  if (unread === 0 && starred === 0) return;
  updateFeeds(client, (list) => {
    const feed = list.feeds.find((one) => one.id === id);
    if (!feed) return list;
    const unreadCount = Math.max(0, feed.unreadCount + unread);
    // Muted feeds do not count in the totals.
    const inAll = feed.isMuted ? 0 : unreadCount - feed.unreadCount;
    const changed = {
      ...feed,
      unreadCount,
      hasUnread: unreadCount > 0,
      starredCount: Math.max(0, feed.starredCount + starred),
    };
    return {
      ...list,
      totals: {
        ...list.totals,
        unread: Math.max(0, list.totals.unread + inAll),
        starred: Math.max(0, list.totals.starred + starred),
      },
      feeds: list.feeds.map((one) => (one === feed ? changed : one)),
    };
  });
}
