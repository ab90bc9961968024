import type { QueryClient } from "@tanstack/react-query";
import { api } from "../client";
import { treeQuery } from "../tree";
import type { Feed } from "../types";
import { refetchContent } from "./lists";
import { applyFeed } from "./loaded-feeds";

interface FeedOptions {
  /** Names of folders separated by slashes; missing folders are created. */
  folder?: string;
  /** Between two fetches; 0 for the default. */
  intervalMinutes?: number;
}

export async function addFeed(
  client: QueryClient,
  url: string,
  { folder = "", intervalMinutes = 0 }: FeedOptions = {},
): Promise<Feed> {
  const { feed } = await api.post("/api/feeds", { body: folder ? { url, folder } : { url } });
  if (intervalMinutes > 0) {
    await api.put("/api/subscriptions/{id}/settings", {
      path: { id: feed.id },
      body: { fetchIntervalMinutes: intervalMinutes },
    });
  }
  applyFeed(client, feed);
  refetchContent(client);
  if (folder) void client.invalidateQueries({ queryKey: treeQuery.queryKey });
  return feed;
}
