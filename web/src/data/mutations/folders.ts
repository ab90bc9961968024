import type { QueryClient } from "@tanstack/react-query";
import { api } from "../client";
import { feedsKey, updateFeeds } from "../feeds";
import { queueTreeChange } from "../request-queue";
import { treeQuery } from "../tree";
import type { Feed, Folder, FolderId } from "../types";
import { applyTree } from "./loaded-tree";
import { changeSubscriptions, withSettings } from "./subscriptions";

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

/** Deletes a folder; what is in it moves up. Returns a function that restores it with its contents. */
export async function deleteFolder(
  client: QueryClient,
  folder: Folder,
  feeds: readonly Feed[],
): Promise<() => Promise<void>> {
  const { id, parentId, position } = folder;
  const children = knownFolders(client)
    .filter((one) => one.parentId === id)
    .sort((a, b) => a.position - b.position);
  const inside = feeds.filter((feed) => feed.folders.includes(id));
  const shown = knownFolders(client)
    .filter((one) => one.id !== id)
    .map((one) => (one.parentId === id ? { ...one, parentId, position } : one));
  const setInside = (set: (feed: Feed) => Feed) => {
    const now = new Map(inside.map((feed) => [feed.id, set(feed)]));
    updateFeeds(client, (list) => ({
      ...list,
      feeds: list.feeds.map((feed) => now.get(feed.id) ?? feed),
    }));
  };
  // An older answer must not come over what is shown now.
  void client.cancelQueries({ queryKey: feedsKey });
  setInside((feed) => {
    const above = feed.folders.map((one) => (one === id ? parentId : one));
    return withSettings(
      feed,
      { folders: [...new Set(above)].filter((one) => one !== null) },
      shown,
    );
  });
  try {
    await change(client, shown, () => api.delete("/api/folders/{id}", { path: { id } }));
  } catch (cause) {
    setInside((feed) => feed);
    throw cause;
  } finally {
    void client.invalidateQueries({ queryKey: feedsKey });
  }
  return () => restore(client, folder, children, inside);
}

async function restore(
  client: QueryClient,
  folder: Folder,
  children: readonly Folder[],
  inside: readonly Feed[],
): Promise<void> {
  const { name, parentId } = folder;
  // A folder that moved up may have the name now.
  const isTaken = children.some((one) => one.name === name);
  const id = await createFolder(client, isTaken ? folder.id : name, parentId);
  for (const [position, child] of children.entries()) {
    await placeNamed(client, { ...child, parentId: id, position }); // it may have been numbered
  }
  await placeNamed(client, { ...folder, id });
  const back = inside.map((feed) => ({
    id: feed.id,
    folders: feed.folders.map((one) => (one === folder.id ? id : one)),
  }));
  if (back.length > 0) await changeSubscriptions(client, back, knownFolders(client));
}

function placeNamed(client: QueryClient, folder: Folder): Promise<void> {
  const { id, name, parentId, position } = folder;
  const shown = placeFolder(knownFolders(client), id, parentId, position);
  return change(client, shown, () =>
    api.patch("/api/folders/{id}", { path: { id }, body: { name, parentId, position } }),
  );
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
