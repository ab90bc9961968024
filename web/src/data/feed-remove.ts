import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { feedsKey, feedsQuery } from "./feeds";
import { forgetLists } from "./stream";
import type { FeedId } from "./types";

export async function removeFeed(client: QueryClient, id: FeedId): Promise<void> {
  await api.delete("/api/feeds/{id}", { path: { id } });
  client.setQueryData(feedsQuery.queryKey, (old) =>
    old ? { ...old, feeds: old.feeds.filter((feed) => feed.id !== id) } : old,
  );
  void client.invalidateQueries({ queryKey: feedsKey });
  void forgetLists(client, { kind: "feed", id });
}
