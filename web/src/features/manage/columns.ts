import { feedTitle } from "@/data/feeds";
import type { Feed } from "@/data/types";

export const columns = [
  "name",
  "folder",
  "unread",
  "pace",
  "item",
  "check",
  "interval",
  "state",
] as const;
export type Column = (typeof columns)[number];
export interface Sort {
  by: Column;
  down: boolean;
}

/** A row of the table. */
export interface Entry {
  feed: Feed;
  name: string;
  folders: string;
}

export function entryOf(feed: Feed, paths: ReadonlyMap<string, string>): Entry {
  return {
    feed,
    name: feedTitle(feed),
    folders: feed.folders.flatMap((id) => paths.get(id) ?? []).join(", "),
  };
}

const states = ["stopped", "error", "waiting", "active"];

/** The sort key; null for unknown, which comes last in both directions. */
function keyOf({ feed, name, folders }: Entry, by: Column): string | number | null {
  switch (by) {
    case "name":
      return name;
    case "folder":
      return folders || null;
    case "unread":
      return feed.unreadCount;
    case "pace":
      return feed.itemsPerWeek;
    case "item":
      return feed.lastItemAt && Date.parse(feed.lastItemAt);
    case "check":
      return feed.lastCheckedAt && Date.parse(feed.lastCheckedAt);
    case "interval":
      return feed.intervalMinutes;
    case "state":
      return states.indexOf(feed.status) * 2 + (feed.isMuted ? 0 : 1);
  }
}

export function sortEntries(entries: readonly Entry[], { by, down }: Sort, locale: string) {
  const order = new Intl.Collator(locale, { numeric: true, sensitivity: "base" });
  const compare = (a: string | number, b: string | number) =>
    typeof a === "string" ? order.compare(a, String(b)) : a - Number(b);
  const keyed = entries.map((entry) => ({ entry, key: keyOf(entry, by) }));
  return keyed
    .sort((a, b) => {
      if (a.key === null || b.key === null) {
        if (a.key !== b.key) return a.key === null ? 1 : -1;
      } else {
        const first = compare(a.key, b.key) * (down ? -1 : 1);
        if (first !== 0) return first;
      }
      return order.compare(a.entry.name, b.entry.name);
    })
    .map(({ entry }) => entry);
}

/** Numbers and times are sorted descending first. */
export function nextSort(sort: Sort, by: Column): Sort {
  if (sort.by === by) return { by, down: !sort.down };
  return { by, down: by === "unread" || by === "pace" || by === "item" || by === "check" };
}

const fold = (text: string) => text.normalize("NFKC").toLocaleLowerCase();

/** The entries that contain every word: in the name, the address, a folder or the state. */
export function filterEntries(
  entries: readonly Entry[],
  query: string,
  stateName: (feed: Feed) => string,
): readonly Entry[] {
  const words = fold(query).split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  return entries.filter(({ feed, name, folders }) => {
    const text = fold(`${name} ${feed.title} ${feed.url} ${folders} ${stateName(feed)}`);
    return words.every((word) => text.includes(word));
  });
}
