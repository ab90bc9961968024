import type { ReadingStats } from "@/data/stats";
import type { Feed, FeedId, Folder, FolderId } from "@/data/types";

export type FeedReading = ReadingStats["feeds"][number];

export interface Rank {
  /** Of the feed or the folder; null for feeds without a folder. */
  id: FeedId | FolderId | null;
  name: string;
  read: number;
  starred: number;
}

/** The feeds that were read, most first. */
export function rankFeeds(
  reading: readonly FeedReading[],
  feeds: ReadonlyMap<FeedId, Feed>,
  nameOf: (feed: Feed) => string,
): Rank[] {
  const ranks = reading.flatMap(({ id, read, starred }) => {
    const feed = feeds.get(id as FeedId);
    return feed ? [{ id: feed.id, name: nameOf(feed), read, starred }] : [];
  });
  return mostFirst(ranks);
}

/** The folders by what was read in them. A feed in two folders counts in both. */
export function rankFolders(
  reading: readonly FeedReading[],
  feeds: ReadonlyMap<FeedId, Feed>,
  folders: readonly Folder[],
  outside: string,
): Rank[] {
  const ranks = new Map<FolderId | null, Rank>();
  const names = new Map(folders.map((folder) => [folder.id, folder.name]));
  for (const { id, read, starred } of reading) {
    const feed = feeds.get(id as FeedId);
    if (!feed) continue;
    const known = (feed.folders as FolderId[]).filter((folder) => names.has(folder));
    for (const folder of known.length > 0 ? known : [null]) {
      const name = folder === null ? outside : (names.get(folder) ?? "");
      const rank = ranks.get(folder) ?? { id: folder, name, read: 0, starred: 0 };
      rank.read += read;
      rank.starred += starred;
      ranks.set(folder, rank);
    }
  }
  return mostFirst([...ranks.values()]);
}

function mostFirst(ranks: Rank[]): Rank[] {
  return ranks
    .filter(({ read, starred }) => read + starred > 0)
    .sort((a, b) => b.read - a.read || b.starred - a.starred);
}

export interface NotRead {
  feed: Feed;
  /** A day of UTC; null when nothing of the feed was ever read. */
  lastReadOn: string | null;
}

const dayLength = 86_400_000;

export function isSubscribedFor(feed: Feed, days: number, now: number): boolean {
  return Date.parse(feed.subscribedAt) <= now - days * dayLength;
}

/** Feeds subscribed to for at least so many days, of which nothing was read in them; the longest first. */
export function notRead(
  reading: readonly FeedReading[],
  feeds: ReadonlyMap<FeedId, Feed>,
  days: number,
  now: number,
): NotRead[] {
  const since = now - days * dayLength;
  return reading
    .flatMap(({ id, lastReadOn }) => {
      const feed = feeds.get(id as FeedId);
      if (!feed || !isSubscribedFor(feed, days, now)) return [];
      if (lastReadOn && Date.parse(`${lastReadOn}T00:00:00Z`) > since - dayLength) return [];
      return [{ feed, lastReadOn }];
    })
    .sort(
      (a, b) =>
        (a.lastReadOn ?? "").localeCompare(b.lastReadOn ?? "") ||
        a.feed.subscribedAt.localeCompare(b.feed.subscribedAt),
    );
}
