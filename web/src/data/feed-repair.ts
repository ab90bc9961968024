import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { applyFeed, feedsKey, feedsQuery } from "./feeds";
import { streamsKey } from "./stream";
import type { Feed, FeedId } from "./types";

/** Looks where a failing feed may be now; what is found is its `proposedUrl`, and nothing is taken by itself. */
export async function findFeed(client: QueryClient, id: FeedId): Promise<Feed> {
  const { feed } = await api.post("/api/feeds/{id}/find", { path: { id } });
  applyFeed(client, feed);
  return feed;
}

/** Gives a subscription another address. The feed there may have another id, or may be one already read. */
export async function repointFeed(client: QueryClient, id: FeedId, url: string): Promise<Feed> {
  const { feed } = await api.patch("/api/feeds/{id}", { path: { id }, body: { url } });
  if (feed.id !== id) {
    client.setQueryData(feedsQuery.queryKey, (old) =>
      old ? { ...old, feeds: old.feeds.filter((other) => other.id !== id) } : old,
    );
  }
  applyFeed(client, feed);
  void client.invalidateQueries({ queryKey: feedsKey });
  void client.invalidateQueries({ queryKey: streamsKey });
  return feed;
}
