import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api } from "./client";
import type { Feed, FeedId } from "./types";

export const feedsKey = ["feeds"] as const;

const fiveMinutes = 5 * 60_000;

export const feedsQuery = queryOptions({
  queryKey: feedsKey,
  queryFn: ({ signal }) => api.get("/api/feeds", { signal }),
  staleTime: fiveMinutes,
  // Only while the tab is visible; more often while a feed waits for its first fetch.
  refetchInterval: (query) =>
    query.state.data?.feeds.some((feed) => feed.status === "waiting") ? 4_000 : fiveMinutes,
});

export type FeedList = NonNullable<ReturnType<typeof useFeeds>["data"]>;

export function useFeeds() {
  return useQuery(feedsQuery);
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

/** Changes the loaded list of feeds with its totals, if there is one. */
export function updateFeeds(client: QueryClient, change: (list: FeedList) => FeedList): void {
  client.setQueryData(feedsQuery.queryKey, (old) => old && change(old));
}
