import { feedTitle } from "@/data/feeds";
import type { Feed } from "@/data/types";

export interface Folder {
  name: string;
  feeds: Feed[];
  unread: number;
}

/** Folders by name, feeds by title inside them, those without a folder last. */
export function groupByFolder(feeds: readonly Feed[], locale: string): Folder[] {
  const order = new Intl.Collator(locale, { numeric: true, sensitivity: "base" });
  const groups = new Map<string, Feed[]>();
  for (const feed of feeds) {
    const group = groups.get(feed.folder);
    if (group) group.push(feed);
    else groups.set(feed.folder, [feed]);
  }
  return [...groups]
    .map(([name, inside]) => ({
      name,
      feeds: inside.sort((a, b) => order.compare(feedTitle(a), feedTitle(b))),
      unread: inside.reduce((sum, feed) => sum + feed.unreadCount, 0),
    }))
    .sort((a, b) => Number(a.name === "") - Number(b.name === "") || order.compare(a.name, b.name));
}

/** The next feed with unread items in the order of the side bar, going round once. */
export function nextUnreadFeed(
  folders: readonly Folder[],
  from: string | null,
  step: 1 | -1,
): Feed | null {
  const all = folders.flatMap((folder) => folder.feeds);
  const start = all.findIndex((feed) => feed.id === from);
  for (let i = 1; i <= all.length; i += 1) {
    const base = start < 0 && step < 0 ? 0 : start;
    const feed = all[(((base + step * i) % all.length) + all.length) % all.length];
    if (feed && feed.id !== from && feed.hasUnread) return feed;
  }
  return null;
}
