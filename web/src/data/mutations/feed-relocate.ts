import type { QueryClient } from "@tanstack/react-query";
import { api } from "../client";
import type { Feed, FeedId } from "../types";
import { refetchContent } from "./lists";
import { applyFeed, dropFeed } from "./loaded-feeds";

/** Searches for the new address of a failing feed, which becomes its `proposedUrl`; the subscription stays as it is. */
export async function relocateFeed(client: QueryClient, id: FeedId): Promise<Feed> {
  const { feed } = await api.post("/api/feeds/{id}/find", { path: { id } });
  applyFeed(client, feed);
  return feed;
}

/** Changes the address of a subscription. The feed there may have another id, or be subscribed to already. */
export async function changeFeedAddress(
  client: QueryClient,
  id: FeedId,
  url: string,
): Promise<Feed> {
  const { feed } = await api.patch("/api/feeds/{id}", { path: { id }, body: { url } });
  if (feed.id !== id) dropFeed(client, id);
  applyFeed(client, feed);
  refetchContent(client);
  return feed;
}
