import type { QueryClient } from "@tanstack/react-query";
import { api } from "../client";
import { feedsKey } from "../feeds";
import { flags } from "../flags";
import { openOutbox } from "../item-state";
import { streamsKey } from "../stream";
import type { FeedId, FolderId } from "../types";
import { loadedItems } from "./lists";

export type Source = { feed: FeedId } | { folder: FolderId };

/**
 * Marks a feed or a folder read from outside its list, as its count is now. Returns a function that undoes it; null when
 * nothing was unread.
 */
export async function markSourceRead(
  client: QueryClient,
  source: Source,
): Promise<(() => Promise<void>) | null> {
  // Marks that were made before go first.
  await (await openOutbox(client)).flush();
  const { feeds, undo } = await api.post("/api/items/mark-read", { body: source });
  const marked = new Set(feeds.map((feed) => feed.id));
  const touched = loadedItems(client).filter(
    (item) => marked.has(item.feedId) && !flags.read(item).isRead,
  );
  const show = (isRead: boolean) => {
    for (const { id } of touched) flags.adopt(id, { isRead });
    void client.invalidateQueries({ queryKey: feedsKey });
    // Lists that are not shown are updated when they are opened.
    void client.invalidateQueries({ queryKey: streamsKey, refetchType: "none" });
  };
  show(true);
  if (undo === null) return null;
  return async () => {
    await api.post("/api/undo", { body: { undo } });
    show(false);
  };
}
