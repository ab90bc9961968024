import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api } from "./client";
import type { Counts, Feed, FeedId, Totals } from "./types";

export const feedsKey = ["feeds"] as const;

const fiveMinutes = 5 * 60_000;

export const feedsQuery = queryOptions({
  queryKey: feedsKey,
  queryFn: ({ signal }) => api.get("/api/feeds", { signal }),
  staleTime: fiveMinutes,
  // Only a visible tab asks, and a feed that waits for its first fetch is worth asking for sooner.
  refetchInterval: (query) =>
    query.state.data?.feeds.some((feed) => feed.status === "waiting") ? 4_000 : fiveMinutes,
});

export type FeedList = Awaited<ReturnType<typeof loadFeeds>>;

function loadFeeds() {
  return api.get("/api/feeds");
}

export function useFeeds() {
  return useQuery(feedsQuery);
}

export function useFeed(id: FeedId | null): Feed | undefined {
  const { data } = useFeeds();
  return useMemo(() => data?.feeds.find((feed) => feed.id === id), [data, id]);
}

export function useFeedsById(): ReadonlyMap<FeedId, Feed> {
  const { data } = useFeeds();
  return useMemo(() => new Map(data?.feeds.map((feed) => [feed.id, feed])), [data]);
}

export function feedTitle(feed: Feed): string {
  return feed.customTitle || feed.title || hostOf(feed.url);
}

export function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

/** Puts counts from the server's answer into the side bar; a null feed is one no longer subscribed to. */
export function applyCounts(client: QueryClient, counts: Counts | null, totals: Totals): void {
  client.setQueryData(feedsQuery.queryKey, (old) => {
    if (!old) return old;
    return {
      ...old,
      totals,
      feeds: old.feeds.map((feed) =>
        feed.id === counts?.id
          ? { ...feed, unreadCount: counts.unreadCount, hasUnread: counts.hasUnread }
          : feed,
      ),
    };
  });
}

export function applyFeed(client: QueryClient, feed: Feed): void {
  client.setQueryData(feedsQuery.queryKey, (old) => {
    if (!old) return old;
    const known = old.feeds.some((other) => other.id === feed.id);
    return {
      ...old,
      feeds: known
        ? old.feeds.map((other) => (other.id === feed.id ? feed : other))
        : [...old.feeds, feed],
    };
  });
}
