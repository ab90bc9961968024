import type { QueryClient } from "@tanstack/react-query";
import { api } from "../client";
import { itemQuery } from "../item";
import { streamsKey } from "../stream";
import type { ItemId, LabelId } from "../types";

/** One request at a time for each item, so that the last choice wins. */
const tails = new Map<ItemId, Promise<unknown>>();

/** Sets the labels of an item at once; a refusal restores the old ones and is thrown. */
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
  const request = (tails.get(id) ?? Promise.resolve()).then(async () => {
    try {
      await api.put("/api/items/{id}/labels", { path: { id }, body: { labels: [...labels] } });
    } catch (error) {
      put(before);
      throw error;
    }
    // The streams of these labels have changed.
    await client.invalidateQueries({
      queryKey: streamsKey,
      predicate: ({ queryKey: [, name] }) => String(name).startsWith("label:"),
    });
  });
  const settled = request.catch(() => undefined);
  tails.set(id, settled);
  void settled.then(() => {
    if (tails.get(id) === settled) tails.delete(id);
  });
  return request;
}
