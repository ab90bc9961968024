import type { paths } from "./api.gen";
import type { Feed } from "./types";

type Answer = paths["/api/feeds"]["get"]["responses"][200]["content"]["application/json"];
export type FeedList = Pick<Answer, "feeds" | "totals" | "limits">;
type Delta = Pick<Answer, "feeds" | "removed" | "totals" | "limits">;

/** The list that the server would answer as a whole: the one before with its changes. */
export function withChanges(before: FeedList, { feeds, removed = [], ...rest }: Delta): FeedList {
  if (feeds.length === 0 && removed.length === 0) return { ...rest, feeds: before.feeds };
  const byId = new Map(before.feeds.map((feed) => [feed.id, feed]));
  for (const feed of feeds) byId.set(feed.id, feed);
  for (const id of removed) byId.delete(id);
  return { ...rest, feeds: [...byId.values()].sort(inOrder) };
}

/** The order of the server. */
function inOrder(a: Feed, b: Feed): number {
  return a.position - b.position || Number(a.id) - Number(b.id);
}
