import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { applyFeed, feedsKey } from "./feeds";
import { streamsKey } from "./stream";
import { treeQuery } from "./tree";
import type { Feed } from "./types";

export interface FeedWish {
  /** Names of folders with slashes between; what is not there is made. */
  folder?: string;
  /** Between two fetches; 0 for the usual time. */
  intervalMinutes?: number;
}

export async function addFeed(
  client: QueryClient,
  url: string,
  { folder = "", intervalMinutes = 0 }: FeedWish = {},
): Promise<Feed> {
  const { feed } = await api.post("/api/feeds", { body: folder ? { url, folder } : { url } });
  if (intervalMinutes > 0) {
    await api.put("/api/subscriptions/{id}/settings", {
      path: { id: feed.id },
      body: { fetchIntervalMinutes: intervalMinutes },
    });
  }
  applyFeed(client, feed);
  void client.invalidateQueries({ queryKey: feedsKey });
  void client.invalidateQueries({ queryKey: streamsKey });
  if (folder) void client.invalidateQueries({ queryKey: treeQuery.queryKey });
  return feed;
}
