import type { Folder, FolderId } from "@/data/types";
import type { Target } from "./targets";
import { idOf, neighbours } from "./targets";
import { isWithin, type SideTree } from "./tree";

export type Where = "before" | "into" | "after";

/** The target of a drop: in a folder (null: at the top), before the entry at the position. */
export interface DropPlace {
  parent: FolderId | null;
  position: number;
}

/**
 * The target of a drop onto a row. Feeds can be dropped into folders and, in manual order, between feeds; folders into and
 * between folders, never into themselves; labels and saved searches among themselves. Null where dropping is not possible.
 */
export function dropPlace(
  moved: Target,
  onto: Target | "loose",
  where: Where,
  tree: SideTree,
  folders: readonly Folder[],
  isManual: boolean,
): DropPlace | null {
  if (moved.kind === "label" || moved.kind === "saved") return listPlace(moved, onto, where, tree);
  if (onto === "loose") return { parent: null, position: 0 };
  if (onto.kind === "label" || onto.kind === "saved") return null;
  const count = (parent: FolderId | null) => neighbours(tree, moved, parent).ids.length;
  if (moved.kind === "feed") {
    if (onto.kind === "folder") {
      const parent = onto.node.folder.id;
      return { parent, position: count(parent) };
    }
    if (onto.feed.id === moved.feed.id) return null;
    const parent = onto.folder;
    if (!isManual) return parent === moved.folder ? null : { parent, position: count(parent) };
    const { ids } = neighbours(tree, moved, parent);
    const others = ids.filter((id) => id !== moved.feed.id);
    return { parent, position: others.indexOf(onto.feed.id) + (where === "before" ? 0 : 1) };
  }
  if (onto.kind === "feed") return null;
  const { id, parentId } = onto.node.folder;
  if (isWithin(folders, id, moved.node.folder.id)) return null;
  if (where === "into" || !isManual) return { parent: id, position: count(id) };
  const { ids } = neighbours(tree, moved, parentId);
  const others = ids.filter((one) => one !== moved.node.folder.id);
  return { parent: parentId, position: others.indexOf(id) + (where === "before" ? 0 : 1) };
}

function listPlace(
  moved: Extract<Target, { kind: "label" | "saved" }>,
  onto: Target | "loose",
  where: Where,
  tree: SideTree,
): DropPlace | null {
  if (onto === "loose" || onto.kind !== moved.kind || idOf(onto) === idOf(moved)) return null;
  const others = neighbours(tree, moved, null).ids.filter((id) => id !== idOf(moved));
  return { parent: null, position: others.indexOf(idOf(onto)) + (where === "before" ? 0 : 1) };
}
