import type { Stream } from "@/data/routes";
import type { FeedId, FolderId } from "@/data/types";
import type { FolderNode, SideTree } from "./tree";

/** Ids of rows; a feed in two folders has two rows. */
export const feedRow = (id: FeedId, folder: FolderId | null) => `feed:${id}@${folder ?? ""}`;
export const folderRow = (id: FolderId) => `folder:${id}`;
export const labelRow = (id: string) => `label:${id}`;
export const savedRow = (id: string) => `saved:${id}`;
export const looseGroup = "group:loose";
export const labelGroup = "group:labels";
export const savedGroup = "group:saved";
const streamRows = ["all", "unread", "starred", "explore"];
/** Rows below them, for a person who has what they show. */
interface Extras {
  hasWatches: boolean;
}

/** The visible rows from top to bottom. */
export function shownRows(
  tree: SideTree | null,
  labels: readonly { id: string }[],
  saved: readonly { id: string }[],
  closed: ReadonlySet<string>,
  { hasWatches }: Extras,
): string[] {
  const rows = [...streamRows];
  if (hasWatches) rows.push("watches");
  const walk = (node: FolderNode) => {
    rows.push(folderRow(node.folder.id));
    if (closed.has(folderRow(node.folder.id))) return;
    for (const folder of node.folders) walk(folder);
    for (const feed of node.feeds) rows.push(feedRow(feed.id, node.folder.id));
  };
  for (const node of tree?.folders ?? []) walk(node);
  if (tree && tree.feeds.length > 0) {
    if (tree.folders.length > 0) rows.push(looseGroup);
    if (tree.folders.length === 0 || !closed.has(looseGroup)) {
      rows.push(...tree.feeds.map((feed) => feedRow(feed.id, null)));
    }
  }
  if (labels.length > 0) {
    rows.push(labelGroup);
    if (!closed.has(labelGroup)) rows.push(...labels.map((label) => labelRow(label.id)));
  }
  if (saved.length > 0) {
    rows.push(savedGroup);
    if (!closed.has(savedGroup)) rows.push(...saved.map((one) => savedRow(one.id)));
  }
  return rows;
}

/** The first row of the open stream; "all" when it is not visible. */
export function rowOf(rows: readonly string[], stream: Stream, isUnread: boolean): string {
  const row =
    stream.kind === "feed"
      ? rows.find((one) => one.startsWith(`feed:${stream.id}@`))
      : stream.kind === "all"
        ? isUnread
          ? "unread"
          : "all"
        : "id" in stream
          ? `${stream.kind}:${stream.id}`
          : stream.kind;
  return row !== undefined && rows.includes(row) ? row : "all";
}
