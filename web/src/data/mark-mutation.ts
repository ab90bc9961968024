import type { QueryClient } from "@tanstack/react-query";
import { shiftCounts } from "./counts";
import type { Marks } from "./flags";
import type { FeedId, ItemId } from "./types";

/** A change of an item's read and star marks. */
export interface Mutation {
  id: ItemId;
  feedId: FeedId;
  marks: Marks;
  /** The same marks before, as far as the page knows. */
  was: Marks;
}

export function reversed({ id, feedId, marks, was }: Mutation): Mutation {
  return { id, feedId, marks: was, was: marks };
}

/** Shows the counts as they will be after these mutations; the answer to them brings the server's. */
export function countMutations(client: QueryClient, mutations: readonly Mutation[]): void {
  const step = (now?: boolean, before?: boolean) =>
    now === undefined ? 0 : Number(now) - Number(before);
  for (const { feedId, marks, was } of mutations) {
    const unread = -step(marks.isRead, was.isRead);
    shiftCounts(client, feedId, unread, step(marks.isStarred, was.isStarred));
  }
}
