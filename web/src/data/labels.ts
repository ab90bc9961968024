import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { type Rule, rulesQuery, saveRules } from "./rules";
import { streamsKey } from "./stream";
import { applyTree, treeQuery } from "./tree";
import { inTreeTurn } from "./turns";
import type { ItemId, Label, LabelId } from "./types";

/** Makes a label; its id. */
export async function makeLabel(client: QueryClient, name: string): Promise<LabelId> {
  const { id, labels } = await api.post("/api/labels", { body: { name } });
  applyTree(client, { labels });
  return id;
}

export async function renameLabel(client: QueryClient, id: LabelId, name: string): Promise<void> {
  const { labels } = await api.patch("/api/labels/{id}", { path: { id }, body: { name } });
  applyTree(client, { labels });
}

/** Shows the new order at once. */
export async function orderLabels(client: QueryClient, ids: readonly LabelId[]): Promise<void> {
  const before = labelsOf(client);
  const byId = new Map(before.map((label) => [label.id, label]));
  applyTree(client, { labels: ids.flatMap((id) => byId.get(id) ?? []) });
  try {
    const body = { ids: [...ids] };
    const { labels } = await inTreeTurn(() => api.put("/api/labels/order", { body }));
    applyTree(client, { labels });
  } catch (cause) {
    applyTree(client, { labels: before });
    throw cause;
  }
}

/** The server takes so many items in one request. */
const atOnce = 1000;

/**
 * Deletes a label, and gives what takes that back: the label anew, in its place, on the items that had it and in
 * the rules that give it.
 */
export async function deleteLabel(client: QueryClient, label: Label): Promise<() => Promise<void>> {
  const before = labelsOf(client);
  const [items, { rules }] = await Promise.all([
    itemsWith(label.id),
    client.fetchQuery(rulesQuery),
  ]);
  const giving = rules.filter((rule) => rule.actions.some((one) => one.labelId === label.id));
  const { labels } = await api.delete("/api/labels/{id}", { path: { id: label.id } });
  applyTree(client, { labels });
  void client.invalidateQueries({ queryKey: streamsKey });

  return async () => {
    const id = await makeLabel(client, label.name);
    await orderLabels(
      client,
      before.map((one) => (one.id === label.id ? id : one.id)),
    );
    for (let at = 0; at < items.length; at += atOnce) {
      const changes = [{ ids: items.slice(at, at + atOnce), addLabels: [id] }];
      await api.post("/api/items/state", { body: { changes, undo: false } });
    }
    if (giving.length > 0) await giveAgain(client, giving, label.id, id);
    void client.invalidateQueries({ queryKey: streamsKey });
  };
}

async function giveAgain(client: QueryClient, giving: Rule[], old: LabelId, id: LabelId) {
  const { rules } = await client.fetchQuery({ ...rulesQuery, staleTime: 0 });
  const actions = new Map(
    giving.map((rule) => [
      rule.id,
      rule.actions.map((one) => (one.labelId === old ? { ...one, labelId: id } : one)),
    ]),
  );
  await saveRules(
    client,
    rules.map((rule) => ({ ...rule, actions: actions.get(rule.id) ?? rule.actions })),
  );
}

async function itemsWith(label: LabelId): Promise<ItemId[]> {
  const ids: ItemId[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = { label, limit: 200, ...(cursor === "" ? {} : { cursor }) };
    const page: { items: { id: ItemId }[]; nextCursor: string | null } = await api.get(
      "/api/items",
      { query },
    );
    ids.push(...page.items.map((item) => item.id));
    cursor = page.nextCursor;
  }
  return ids;
}

function labelsOf(client: QueryClient): Label[] {
  return client.getQueryData(treeQuery.queryKey)?.labels ?? [];
}
