import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { applyFeed, feedsKey } from "./feeds";
import { streamsKey } from "./stream";

export async function addFeed(client: QueryClient, url: string, folder?: string) {
  const { feed } = await api.post("/api/feeds", { body: folder ? { url, folder } : { url } });
  applyFeed(client, feed);
  void client.invalidateQueries({ queryKey: feedsKey });
  void client.invalidateQueries({ queryKey: streamsKey });
  return feed;
}
