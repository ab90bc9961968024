import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { applyCounts } from "./feeds";
import { type Flags, flags } from "./flags";
import type { ItemId } from "./types";

/** One request at a time for an item, in the order of the presses: the last press wins on the server too. */
const tails = new Map<ItemId, Promise<unknown>>();

export async function setItemState(
  client: QueryClient,
  item: Flags & { id: ItemId },
  patch: Partial<Flags>,
): Promise<void> {
  flags.show(item, patch);
  const before = tails.get(item.id) ?? Promise.resolve();
  const turn = before.then(async () => {
    try {
      const answer = await api.put("/api/items/{id}/state", { path: { id: item.id }, body: patch });
      flags.confirm(item.id, { isRead: answer.item.isRead, isStarred: answer.item.isStarred });
      applyCounts(client, answer.feed, answer.totals);
    } catch (error) {
      flags.revert(item.id);
      throw error;
    }
  });
  const settled = turn.catch(() => undefined);
  tails.set(item.id, settled);
  void settled.then(() => {
    if (tails.get(item.id) === settled) tails.delete(item.id);
  });
  return turn;
}
