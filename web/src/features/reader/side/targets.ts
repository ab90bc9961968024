import type { Feed, FolderId, Label, SavedSearch } from "@/data/types";
import type { FolderNode, SideTree } from "./tree";

/** What a row shows, and where. */
export type Target =
  | { kind: "feed"; feed: Feed; folder: FolderId | null }
  | { kind: "folder"; node: FolderNode }
  | { kind: "label"; label: Label }
  | { kind: "saved"; search: SavedSearch; all: readonly SavedSearch[] };

/** Null for the rows of all, unread and starred items, which have no actions. */
export function targetOf(
  row: string,
  feeds: readonly Feed[],
  tree: SideTree,
  saved: readonly SavedSearch[],
): Target | null {
  const [kind, name = ""] = row.split(":");
  const [id, folder] = name.split("@");
  if (kind === "feed") {
    const feed = feeds.find((one) => one.id === id);
    return feed ? { kind, feed, folder: folder || null } : null;
  }
  if (kind === "folder") {
    const node = nodeOf(tree.folders, name);
    return node && { kind, node };
  }
  if (kind === "saved") {
    const search = saved.find((one) => one.id === id);
    return search ? { kind, search, all: saved } : null;
  }
  const label = kind === "label" && tree.labels.find((one) => one.id === id);
  return label ? { kind: "label", label } : null;
}

export function nodeOf(nodes: readonly FolderNode[], id: FolderId): FolderNode | null {
  for (const node of nodes) {
    const found = node.folder.id === id ? node : nodeOf(node.folders, id);
    if (found) return found;
  }
  return null;
}

/** The ids of a target's siblings in a folder, in order, and its index among them. */
export function neighbours(
  tree: SideTree,
  target: Target,
  parentId: FolderId | null,
): { ids: string[]; at: number } {
  const place = parentId === null ? tree : nodeOf(tree.folders, parentId);
  const ids =
    target.kind === "label" || target.kind === "saved"
      ? (target.kind === "label" ? tree.labels : target.all).map(({ id }) => id)
      : target.kind === "feed"
        ? (place?.feeds ?? []).map((feed) => feed.id)
        : (place?.folders ?? []).map((node) => node.folder.id);
  return { ids, at: ids.indexOf(idOf(target)) };
}

export function idOf(target: Target): string {
  if (target.kind === "label") return target.label.id;
  if (target.kind === "saved") return target.search.id;
  return target.kind === "feed" ? target.feed.id : target.node.folder.id;
}
