import type { QueryClient } from "@tanstack/react-query";
import { api } from "../client";
import { feedsKey } from "../feeds";
import { queueTreeChange } from "../request-queue";
import { treeQuery, withinFolder } from "../tree";
import type { Feed, Folder, FolderId } from "../types";
import { applyTree } from "./loaded-tree";
import { changeSubscriptions } from "./subscriptions";

export function knownFolders(client: QueryClient): Folder[] {
  return client.getQueryData(treeQuery.queryKey)?.folders ?? [];
}

export async function createFolder(
  client: QueryClient,
  name: string,
  parentId: FolderId | null,
): Promise<FolderId> {
  const { id, folders } = await api.post("/api/folders", { body: { name, parentId } });
  applyTree(client, { folders });
  return id;
}

export function renameFolder(client: QueryClient, id: FolderId, name: string): Promise<void> {
  const shown = knownFolders(client).map((one) => (one.id === id ? { ...one, name } : one));
  return change(client, shown, () =>
    api.patch("/api/folders/{id}", { path: { id }, body: { name } }),
  );
}

/** Moves a folder into another one, or to the top (null), before the folder at that position. */
export function moveFolder(
  client: QueryClient,
  id: FolderId,
  parentId: FolderId | null,
  position: number,
): Promise<void> {
  const shown = placeFolder(knownFolders(client), id, parentId, position);
  return change(client, shown, () =>
    api.patch("/api/folders/{id}", { path: { id }, body: { parentId, position } }),
  );
}

/** Deletes a folder with the folders in it. Returns a function that restores them with their feeds. */
export async function deleteFolder(
  client: QueryClient,
  id: FolderId,
  feeds: readonly Feed[],
): Promise<() => Promise<void>> {
  const deleted = withinFolder(knownFolders(client), id);
  const ids = new Set(deleted.map((one) => one.id));
  const inside = feeds.filter((feed) => feed.folders.some((one) => ids.has(one)));
  const shown = knownFolders(client).filter((one) => !ids.has(one.id));
  await change(client, shown, () => api.delete("/api/folders/{id}", { path: { id } }));
  void client.invalidateQueries({ queryKey: feedsKey });
  return () => restore(client, deleted, inside);
}

async function restore(
  client: QueryClient,
  deleted: readonly Folder[],
  inside: readonly Feed[],
): Promise<void> {
  const created = new Map<FolderId, FolderId>();
  const now = (id: FolderId | null) => (id === null ? null : (created.get(id) ?? id));
  for (const folder of deleted) {
    created.set(folder.id, await createFolder(client, folder.name, now(folder.parentId)));
  }
  const [outer] = deleted;
  if (outer) await moveFolder(client, now(outer.id) ?? "", outer.parentId, outer.position);
  const back = inside.map((feed) => ({
    id: feed.id,
    folders: feed.folders.map((id) => created.get(id) ?? id),
  }));
  if (back.length > 0) await changeSubscriptions(client, back, knownFolders(client));
}

export function placeFolder(
  folders: readonly Folder[],
  id: FolderId,
  parentId: FolderId | null,
  position: number,
): Folder[] {
  const moved = folders.find((one) => one.id === id);
  if (!moved) return [...folders];
  const siblings = folders
    .filter((one) => one.parentId === parentId && one.id !== id)
    .sort((a, b) => a.position - b.position);
  siblings.splice(position, 0, { ...moved, parentId });
  const placed = new Map(siblings.map((one, at) => [one.id, { ...one, position: at }]));
  return folders.map((one) => placed.get(one.id) ?? one);
}

/** Shows folders at once; a refusal restores the old ones. */
async function change(
  client: QueryClient,
  shown: Folder[],
  send: () => Promise<{ folders: Folder[] }>,
): Promise<void> {
  const before = knownFolders(client);
  applyTree(client, { folders: shown });
  try {
    applyTree(client, { folders: (await queueTreeChange(send)).folders });
  } catch (cause) {
    applyTree(client, { folders: before });
    throw cause;
  }
}
