import type { QueryClient } from "@tanstack/react-query";
import { api } from "../client";
import { feedsKey } from "../feeds";
import { streamsKey } from "../stream";
import type { FeedId } from "../types";
import { applyFeed } from "./loaded-feeds";

export async function refreshFeed(client: QueryClient, id: FeedId) {
  const { feed } = await api.post("/api/feeds/{id}/refresh", { path: { id } });
  applyFeed(client, feed);
  void client.invalidateQueries({ queryKey: feedsKey });
  await client.invalidateQueries({ queryKey: streamsKey });
  return feed;
}
