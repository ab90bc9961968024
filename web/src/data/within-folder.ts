import type { Folder, FolderId } from "./types";

/** A folder and all folders in it, parents first, siblings in order. */
export function withinFolder(folders: readonly Folder[], id: FolderId): Folder[] {
  const children = (parent: FolderId): Folder[] =>
    folders
      .filter((one) => one.parentId === parent)
      .sort((a, b) => a.position - b.position)
      .flatMap((one) => [one, ...children(one.id)]);
  return [...folders.filter((one) => one.id === id), ...children(id)];
}
