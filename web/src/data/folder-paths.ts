import type { Folder } from "./types";

/** A folder with the names of its parents. */
interface FolderPath {
  id: string;
  /** As the API takes it: "Tech/Web". */
  path: string;
  /** As it is shown: "Tech / Web". */
  label: string;
}

/** All folders in the order of the side bar, parents first. */
export function folderPaths(folders: readonly Folder[]): FolderPath[] {
  const children = (parentId: string | null, before: readonly string[]): FolderPath[] =>
    folders
      .filter((folder) => folder.parentId === parentId)
      .sort((a, b) => a.position - b.position)
      .flatMap(({ id, name }) => {
        const names = [...before, name];
        return [{ id, path: names.join("/"), label: names.join(" / ") }, ...children(id, names)];
      });
  return children(null, []);
}
