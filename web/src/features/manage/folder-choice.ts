import type { Feed } from "@/data/types";
import type { Membership } from "@/ui/folder-checkboxes";

/** Whether all, some or none of the feeds are in a folder. */
export function membership(feeds: readonly Feed[], folder: string): Membership {
  const inside = feeds.filter((feed) => feed.folders.includes(folder)).length;
  return inside === 0 ? "none" : inside === feeds.length ? "all" : "some";
}

/** The folders of a feed after some were checked and some unchecked; the others stay, in their order. */
export function foldersAfter(
  feed: Feed,
  ticked: ReadonlySet<string>,
  unticked: ReadonlySet<string>,
): string[] {
  return [...new Set([...feed.folders, ...ticked])].filter((id) => !unticked.has(id));
}

export function sameFolders(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, at) => id === b[at]);
}
