import type { QueryClient } from "@tanstack/react-query";
import { api } from "../client";
import type { FeedId } from "../types";
import { applyFeed } from "./loaded-feeds";

export async function resumeFeed(client: QueryClient, id: FeedId) {
  const { feed } = await api.post("/api/feeds/{id}/resume", { path: { id } });
  applyFeed(client, feed);
  return feed;
}
