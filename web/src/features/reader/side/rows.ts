import type { Route } from "@/data/routes";
import type { FeedId, FolderId, LabelId } from "@/data/types";
import type { FolderNode, SideTree } from "./tree";

/** Ids of rows; a feed in two folders has two rows. */
export const feedRow = (id: FeedId, folder: FolderId | null) => `feed:${id}@${folder ?? ""}`;
export const folderRow = (id: FolderId) => `folder:${id}`;
export const labelRow = (id: string) => `label:${id}`;
export const savedRow = (id: string) => `saved:${id}`;
export const looseGroup = "group:loose";
export const labelGroup = "group:labels";
const placeRows = ["today", "unread", "later", "starred", "explore", "watches", "search"];

/** The visible rows from top to bottom. */
export function shownRows(
  tree: SideTree | null,
  labels: readonly { id: string }[],
  saved: readonly { id: string }[],
  closed: ReadonlySet<string>,
): string[] {
  const rows = [...placeRows, ...saved.map(({ id }) => savedRow(id))];
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
  return rows;
}

/** The first row of what is open; "" when it has none that is visible. */
export function rowOf(rows: readonly string[], route: Route, readLater?: LabelId): string {
  if (route.screen !== "reader") return route.screen === "watches" ? "watches" : "";
  const { stream } = route;
  const row =
    stream.kind === "feed"
      ? rows.find((one) => one.startsWith(`feed:${stream.id}@`))
      : stream.kind === "all"
        ? "unread"
        : stream.kind === "label" && stream.id === readLater
          ? "later"
          : "id" in stream
            ? `${stream.kind}:${stream.id}`
            : stream.kind;
  return row !== undefined && rows.includes(row) ? row : "";
}
