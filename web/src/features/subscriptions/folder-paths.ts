import type { Folder } from "@/data/types";

/** A folder by the names that lead to it, as POST /api/feeds takes it. */
export interface FolderPath {
  id: string;
  path: string;
}

/** The tree as a flat list, each folder below the one around it, in the person's order. */
export function folderPaths(folders: readonly Folder[]): FolderPath[] {
  const inside = new Map<string | null, Folder[]>();
  for (const folder of folders) {
    const list = inside.get(folder.parentId) ?? [];
    list.push(folder);
    inside.set(folder.parentId, list);
  }
  const out: FolderPath[] = [];
  const walk = (parent: string | null, before: string) => {
    const list = inside.get(parent) ?? [];
    for (const folder of list.toSorted((a, b) => a.position - b.position)) {
      const path = before + folder.name;
      out.push({ id: folder.id, path });
      walk(folder.id, `${path}/`);
    }
  };
  walk(null, "");
  return out;
}
