import { useQuery } from "@tanstack/react-query";
import { api } from "./client";
import { placeOf } from "./place";
import type { FeedId, ItemSummary } from "./types";

const week = 7 * 24 * 3_600_000;
const window = 4 * week;
const pages = 2;

export interface Pace {
  /** Items counted of each feed. */
  items: ReadonlyMap<FeedId, number>;
  /** Over how many weeks; fewer than four when much is published. */
  weeks: number;
}

/**
 * How much each feed publishes, counted in the newest items of all feeds: two requests for the whole table. Feeds
 * that are muted are not among them.
 */
export function usePace() {
  return useQuery({
    queryKey: ["pace"],
    queryFn: async ({ signal }) => {
      const now = Date.now();
      const since = new Date(now - window).toISOString();
      const items: ItemSummary[] = [];
      let cursor: string | null | undefined;
      for (let page = 0; page < pages && cursor !== null; page += 1) {
        const query = { since, limit: 200, ...(cursor ? { cursor } : {}) };
        const answer = await api.get("/api/items", { query, signal });
        items.push(...answer.items);
        cursor = answer.nextCursor;
      }
      return paceOf(items, cursor !== null, now);
    },
    staleTime: 3_600_000,
  });
}

/** `isCut`: there is more in the window than was looked at, so the window ends with the oldest item. */
export function paceOf(items: readonly ItemSummary[], isCut: boolean, now: number): Pace {
  const counts = new Map<FeedId, number>();
  let oldest = now;
  for (const item of items) {
    oldest = Math.min(oldest, Date.parse(placeOf(item)) || now);
    // The same story of several feeds is listed once, and was published by each.
    for (const { feedId } of [item, ...item.alsoIn]) {
      counts.set(feedId, (counts.get(feedId) ?? 0) + 1);
    }
  }
  const span = isCut ? Math.max(now - oldest, 3_600_000) : window;
  return { items: counts, weeks: span / week };
}
