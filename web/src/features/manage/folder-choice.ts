import type { Feed } from "@/data/types";

export type Held = "all" | "some" | "none";

/** How many of the feeds are in a folder. */
export function held(feeds: readonly Feed[], folder: string): Held {
  const inside = feeds.filter((feed) => feed.folders.includes(folder)).length;
  return inside === 0 ? "none" : inside === feeds.length ? "all" : "some";
}

/** The folders of a feed after some were ticked and some unticked; the others stay, in their order. */
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
