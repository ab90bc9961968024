import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { feedsKey } from "./feeds";
import { flags } from "./flags";
import { openOutbox } from "./item-state";
import { loadedItems, streamsKey } from "./stream";
import type { FeedId, FolderId } from "./types";

/**
 * Marks a feed or a folder read from outside its list, as its count stands now. What is returned takes it back; null
 * when nothing was unread.
 */
export async function markPlaceRead(
  client: QueryClient,
  place: { feed: FeedId } | { folder: FolderId },
): Promise<{ undo: () => Promise<void> } | null> {
  // What was marked by hand before comes before.
  await (await openOutbox(client)).flush();
  const { feeds, undo } = await api.post("/api/items/mark-read", { body: place });
  const marked = new Set(feeds.map((feed) => feed.id));
  // Rows that are loaded show it; lists that are not seen learn of it when they are opened.
  const touched = loadedItems(client).filter(
    (item) => marked.has(item.feedId) && !flags.read(item).isRead,
  );
  for (const { id } of touched) flags.adopt(id, { isRead: true });
  refresh(client);
  if (undo === null) return null;
  return {
    async undo() {
      await api.post("/api/undo", { body: { undo } });
      for (const { id } of touched) flags.adopt(id, { isRead: false });
      refresh(client);
    },
  };
}

function refresh(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: feedsKey });
  void client.invalidateQueries({ queryKey: streamsKey, refetchType: "none" });
}
