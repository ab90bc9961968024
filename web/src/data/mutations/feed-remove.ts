import type { QueryClient } from "@tanstack/react-query";
import { api } from "../client";
import { feedsKey } from "../feeds";
import type { FeedId } from "../types";
import { forgetLists } from "./lists";
import { dropFeed } from "./loaded-feeds";

export async function removeFeed(client: QueryClient, id: FeedId): Promise<void> {
  await api.delete("/api/feeds/{id}", { path: { id } });
  dropFeed(client, id);
  void client.invalidateQueries({ queryKey: feedsKey });
  void forgetLists(client, { kind: "feed", id });
}
