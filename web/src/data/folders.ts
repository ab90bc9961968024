import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { feedsKey } from "./feeds";
import { changeSubscriptions } from "./subscriptions";
import { applyTree, treeQuery } from "./tree";
import { inTreeTurn } from "./turns";
import type { Feed, Folder, FolderId } from "./types";

export function knownFolders(client: QueryClient): Folder[] {
  return client.getQueryData(treeQuery.queryKey)?.folders ?? [];
}

export async function makeFolder(
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

/** Puts a folder into another, or to the top (null), before the one that stands at the position there. */
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

/** Deletes a folder with those in it; what is returned makes them again, with the feeds that were there. */
export async function deleteFolder(
  client: QueryClient,
  id: FolderId,
  feeds: readonly Feed[],
): Promise<() => Promise<void>> {
  const gone = withinFolder(knownFolders(client), id);
  const ids = new Set(gone.map((one) => one.id));
  const held = feeds.filter((feed) => feed.folders.some((one) => ids.has(one)));
  const shown = knownFolders(client).filter((one) => !ids.has(one.id));
  await change(client, shown, () => api.delete("/api/folders/{id}", { path: { id } }));
  void client.invalidateQueries({ queryKey: feedsKey });
  return () => restore(client, gone, held);
}

async function restore(client: QueryClient, gone: readonly Folder[], held: readonly Feed[]) {
  const made = new Map<FolderId, FolderId>();
  const now = (id: FolderId | null) => (id === null ? null : (made.get(id) ?? id));
  for (const folder of gone) {
    made.set(folder.id, await makeFolder(client, folder.name, now(folder.parentId)));
  }
  const [outer] = gone;
  if (outer) await moveFolder(client, now(outer.id) ?? "", outer.parentId, outer.position);
  const back = held.map((feed) => ({
    id: feed.id,
    folders: feed.folders.map((id) => made.get(id) ?? id),
  }));
  if (back.length > 0) await changeSubscriptions(client, back, knownFolders(client));
}

/** A folder and all in it, each after the one around it, siblings in order. */
export function withinFolder(folders: readonly Folder[], id: FolderId): Folder[] {
  const inside = (parent: FolderId): Folder[] =>
    folders
      .filter((one) => one.parentId === parent)
      .sort((a, b) => a.position - b.position)
      .flatMap((one) => [one, ...inside(one.id)]);
  return [...folders.filter((one) => one.id === id), ...inside(id)];
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

/** Shows folders at once; a refusal shows again what was. */
async function change(
  client: QueryClient,
  shown: Folder[],
  ask: () => Promise<{ folders: Folder[] }>,
): Promise<void> {
  const before = knownFolders(client);
  applyTree(client, { folders: shown });
  try {
    applyTree(client, { folders: (await inTreeTurn(ask)).folders });
  } catch (cause) {
    applyTree(client, { folders: before });
    throw cause;
  }
}
