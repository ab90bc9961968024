import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { streamsKey } from "./stream";
import { applyTree } from "./tree";
import type { ItemId, Label, LabelId } from "./types";

export async function renameLabel(client: QueryClient, id: LabelId, name: string): Promise<void> {
  const { labels } = await api.patch("/api/labels/{id}", { path: { id }, body: { name } });
  applyTree(client, { labels });
}

/** Deletes a label; what is returned makes it again, on the items that had it. */
export async function deleteLabel(
  client: QueryClient,
  { id, name }: Label,
  all: readonly Label[],
): Promise<() => Promise<void>> {
  const items = await labelled(id);
  const { labels } = await api.delete("/api/labels/{id}", { path: { id } });
  applyTree(client, { labels });
  return async () => {
    const made = await api.post("/api/labels", { body: { name } });
    const ids = all.map((one) => (one.id === id ? made.id : one.id));
    const ordered = await api.put("/api/labels/order", { body: { ids } });
    applyTree(client, { labels: ordered.labels });
    for (let at = 0; at < items.length; at += atOnce) {
      const changes = [{ ids: items.slice(at, at + atOnce), addLabels: [made.id] }];
      await api.post("/api/items/state", { body: { changes, undo: false } });
    }
    void client.invalidateQueries({ queryKey: streamsKey });
  };
}

/** The server takes so many items in one request. */
const atOnce = 1000;

async function labelled(label: LabelId): Promise<ItemId[]> {
  const ids: ItemId[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = { label, limit: 200, ...(cursor === "" ? {} : { cursor }) };
    const page: { items: { id: string }[]; nextCursor: string | null } = await api.get(
      "/api/items",
      { query },
    );
    ids.push(...page.items.map((item) => item.id));
    cursor = page.nextCursor;
  }
  return ids;
}
