import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { itemQuery } from "./item";
import { streamsKey } from "./stream";
import type { ItemId, LabelId } from "./types";

/** One request at a time for an item: the labels chosen last are those that stay. */
const tails = new Map<ItemId, Promise<unknown>>();

/** Gives an item exactly these labels, at once; a refusal puts the old ones back and is thrown. */
export async function setItemLabels(
  client: QueryClient,
  id: ItemId,
  labels: readonly LabelId[],
): Promise<void> {
  const { queryKey } = itemQuery(id);
  const put = (next: readonly LabelId[]) =>
    client.setQueryData(queryKey, (old) => old && { ...old, labels: [...next] });
  const before = client.getQueryData(queryKey)?.labels ?? [];
  put(labels);
  const turn = (tails.get(id) ?? Promise.resolve()).then(async () => {
    try {
      await api.put("/api/items/{id}/labels", { path: { id }, body: { labels: [...labels] } });
    } catch (error) {
      put(before);
      throw error;
    }
    // Streams of labels hold it from now on, or no more.
    await client.invalidateQueries({
      queryKey: streamsKey,
      predicate: ({ queryKey: [, name] }) => String(name).startsWith("label:"),
    });
  });
  const settled = turn.catch(() => undefined);
  tails.set(id, settled);
  void settled.then(() => {
    if (tails.get(id) === settled) tails.delete(id);
  });
  return turn;
}
