import { feedTitle } from "@/data/feeds";
import { fold } from "@/data/name-match";
import type { Feed, FeedId, Folder, Label, Tree } from "@/data/types";

/** manual: by position, and by name where the positions are equal. */
export const sorts = ["manual", "name", "unread"] as const;
export type Sort = (typeof sorts)[number];

export interface FolderNode {
  folder: Folder;
  folders: FolderNode[];
  feeds: Feed[];
  /** Of all feeds inside, at any depth, each counted once. */
  unread: number;
}

export interface SideTree {
  folders: FolderNode[];
  /** In no folder. */
  feeds: Feed[];
  /** Always in manual order. */
  labels: readonly Label[];
}

interface TreeOptions {
  sort: Sort;
  locale: string;
  /** Hides feeds without unread items, except the open one. */
  hideRead?: boolean;
  open?: FeedId | null;
}

type Content = Pick<Tree, "folders"> & Partial<Tree>;

/** The unread count; muted feeds are not counted. */
export function countOf(feed: Feed): number {
  return feed.isMuted ? 0 : feed.unreadCount;
}

/** The tree of the side bar: folders in folders, a feed in each of its folders. */
export function buildTree(tree: Content, feeds: readonly Feed[], options: TreeOptions): SideTree {
  const { sort, hideRead = false, open = null } = options;
  const compare = comparers(options.locale);
  const inside = new Map<string | null, Feed[]>();
  const known = new Set(tree.folders.map((folder) => folder.id));
  for (const feed of feeds) {
    const folders = feed.folders.filter((id) => known.has(id));
    for (const id of folders.length > 0 ? folders : [null]) {
      const list = inside.get(id);
      if (list) list.push(feed);
      else inside.set(id, [feed]);
    }
  }
  const isShown = (feed: Feed) =>
    !hideRead || feed.id === open || (feed.hasUnread && !feed.isMuted) || feed.status === "stopped";
  const feedsOf = (id: string | null) =>
    (inside.get(id) ?? []).filter(isShown).sort(compare.feeds(sort));

  const nodes = (parent: string | null): { node: FolderNode; all: Set<Feed> }[] =>
    tree.folders
      .filter((folder) => folder.parentId === parent)
      .map((folder) => {
        const children = nodes(folder.id);
        const all = new Set([
          ...(inside.get(folder.id) ?? []),
          ...children.flatMap((child) => [...child.all]),
        ]);
        const unread = [...all].reduce((sum, feed) => sum + countOf(feed), 0);
        const folders = children.map((child) => child.node);
        return { node: { folder, folders, feeds: feedsOf(folder.id), unread }, all };
      })
      // A folder of hidden feeds is hidden too, but not an empty one.
      .filter(
        ({ node, all }) =>
          !hideRead || all.size === 0 || node.feeds.length > 0 || node.folders.length > 0,
      )
      .sort((a, b) => compare.folders(sort)(a.node, b.node));

  const folders = nodes(null).map(({ node }) => node);
  return { folders, feeds: feedsOf(null), labels: tree.labels ?? [] };
}

function comparers(locale: string) {
  const names = new Intl.Collator(locale, { numeric: true, sensitivity: "base" });
  const byTitle = (a: Feed, b: Feed) => names.compare(feedTitle(a), feedTitle(b));
  const byName = (a: FolderNode, b: FolderNode) => names.compare(a.folder.name, b.folder.name);
  return {
    feeds: (sort: Sort) => (a: Feed, b: Feed) =>
      (sort === "manual" ? a.position - b.position : 0) ||
      (sort === "unread" ? countOf(b) - countOf(a) : 0) ||
      byTitle(a, b),
    folders: (sort: Sort) => (a: FolderNode, b: FolderNode) =>
      (sort === "manual" ? a.folder.position - b.folder.position : 0) ||
      (sort === "unread" ? b.unread - a.unread : 0) ||
      byName(a, b),
  };
}

/** All feeds in the order of the side bar, each at its first position. */
export function feedsInOrder(tree: SideTree): Feed[] {
  const all = new Set<Feed>();
  const walk = (node: Pick<SideTree, "folders" | "feeds">) => {
    for (const folder of node.folders) walk(folder);
    for (const feed of node.feeds) all.add(feed);
  };
  walk(tree);
  return [...all];
}

/** The next feed with unread items in the order of the side bar, wrapping around. */
export function nextUnreadFeed(
  order: readonly Feed[],
  from: string | null,
  step: 1 | -1,
): Feed | null {
  const start = order.findIndex((feed) => feed.id === from);
  for (let i = 1; i <= order.length; i += 1) {
    const base = start < 0 && step < 0 ? 0 : start;
    const feed = order[(((base + step * i) % order.length) + order.length) % order.length];
    if (feed && feed.id !== from && feed.hasUnread && !feed.isMuted) return feed;
  }
  return null;
}

/** Whether a folder is the other one, or inside it. */
export function isWithin(folders: readonly Folder[], id: string | null, outer: string): boolean {
  for (let at = id; at !== null; at = folders.find((one) => one.id === at)?.parentId ?? null) {
    if (at === outer) return true;
  }
  return false;
}

/** The feeds whose names contain these letters, with their folders. */
export function withWords(tree: SideTree, words: string): SideTree {
  const wanted = fold(words.trim());
  const named = (feeds: Feed[]) => feeds.filter((feed) => fold(feedTitle(feed)).includes(wanted));
  const within = (node: FolderNode): FolderNode[] => {
    const folders = node.folders.flatMap(within);
    const feeds = named(node.feeds);
    return folders.length + feeds.length > 0 ? [{ ...node, folders, feeds }] : [];
  };
  return { ...tree, folders: tree.folders.flatMap(within), feeds: named(tree.feeds) };
}
