import type { QueryClient } from "@tanstack/react-query";
import { api } from "../client";
import { queueTreeChange } from "../request-queue";
import { type Rule, rulesQuery, saveRules } from "../rules";
import { streamsKey } from "../stream";
import { treeQuery } from "../tree";
import type { ItemId, Label, LabelId } from "../types";
import { applyTree } from "./loaded-tree";

/** Creates a label and returns its id. */
export async function createLabel(client: QueryClient, name: string): Promise<LabelId> {
  const { id, labels } = await api.post("/api/labels", { body: { name } });
  applyTree(client, { labels });
  return id;
}

/** Creates the label of what is to be read later, unless there is one. */
export async function makeReadLater(client: QueryClient): Promise<Label | undefined> {
  const { labels } = await api.put("/api/read-later");
  applyTree(client, { labels });
  return labels.find((one) => one.isReadLater);
}

/** Keeps any page to read it later. Returns its item, and why there is no text of it, if so. */
export async function savePage(
  client: QueryClient,
  url: string,
): Promise<{ id: ItemId; labelId: LabelId; message: string | null }> {
  const { id, labelId, message } = await api.post("/api/read-later", { body: { url } });
  if (!labelsOf(client).some((one) => one.id === labelId))
    void client.invalidateQueries({ queryKey: treeQuery.queryKey });
  void client.invalidateQueries({ queryKey: streamsKey });
  return { id, labelId, message };
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
    const { labels } = await queueTreeChange(() => api.put("/api/labels/order", { body }));
    applyTree(client, { labels });
  } catch (cause) {
    applyTree(client, { labels: before });
    throw cause;
  }
}

/** Items that the server takes in one request. */
const batchSize = 1000;

/**
 * Deletes a label. Returns a function that creates it again, in its position, on the items that had it and in the rules
 * that add it.
 */
export async function deleteLabel(client: QueryClient, label: Label): Promise<() => Promise<void>> {
  const before = labelsOf(client);
  const [items, { rules }] = await Promise.all([
    itemsWith(label.id),
    client.fetchQuery(rulesQuery),
  ]);
  const adding = rules.filter((rule) => rule.actions.some((one) => one.labelId === label.id));
  const { labels } = await api.delete("/api/labels/{id}", { path: { id: label.id } });
  applyTree(client, { labels });
  void client.invalidateQueries({ queryKey: streamsKey });

  return async () => {
    const id = await createLabel(client, label.name);
    await orderLabels(
      client,
      before.map((one) => (one.id === label.id ? id : one.id)),
    );
    for (let at = 0; at < items.length; at += batchSize) {
      const changes = [{ ids: items.slice(at, at + batchSize), addLabels: [id] }];
      await api.post("/api/items/state", { body: { changes, undo: false } });
    }
    if (adding.length > 0) await restoreRules(client, adding, label.id, id);
    void client.invalidateQueries({ queryKey: streamsKey });
  };
}

async function restoreRules(client: QueryClient, adding: Rule[], old: LabelId, id: LabelId) {
  const { rules } = await client.fetchQuery({ ...rulesQuery, staleTime: 0 });
  const actions = new Map(
    adding.map((rule) => [
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
