import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { applyFeed } from "./feeds";
import type { FeedId } from "./types";

export async function resumeFeed(client: QueryClient, id: FeedId) {
  const { feed } = await api.post("/api/feeds/{id}/resume", { path: { id } });
  applyFeed(client, feed);
  return feed;
}
