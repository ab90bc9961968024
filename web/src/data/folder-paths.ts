/** A folder with the names of those around it, in the order of the side bar. */
export interface FolderPath {
  id: string;
  /** "Tech / Web". */
  path: string;
  depth: number;
}

interface Folder {
  id: string;
  parentId: string | null;
  name: string;
  position: number;
}

/** All folders, each after the one around it. */
export function folderPaths(folders: readonly Folder[]): FolderPath[] {
  const inside = new Map<string | null, Folder[]>();
  for (const folder of folders) {
    const list = inside.get(folder.parentId) ?? [];
    list.push(folder);
    inside.set(folder.parentId, list);
  }
  const out: FolderPath[] = [];
  const walk = (parent: string | null, prefix: string, depth: number) => {
    for (const folder of (inside.get(parent) ?? []).sort((a, b) => a.position - b.position)) {
      const path = prefix === "" ? folder.name : `${prefix} / ${folder.name}`;
      out.push({ id: folder.id, path, depth });
      walk(folder.id, path, depth + 1);
    }
  };
  walk(null, "", 0);
  return out;
}
