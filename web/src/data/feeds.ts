import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { api, rememberAnswer } from "./client";
import { type FeedList, withChanges } from "./feed-delta";
import type { Feed, FeedId } from "./types";

export const feedsKey = ["feeds"] as const;

const fiveMinutes = 5 * 60_000;

export const feedsQuery = queryOptions({
  queryKey: feedsKey,
  queryFn: ({ signal, client }) => loadFeeds(client, signal),
  staleTime: fiveMinutes,
  // Only while the tab is visible; more often while a feed waits for its first fetch.
  refetchInterval: (query) =>
    query.state.data?.feeds.some((feed) => feed.status === "waiting") ? 4_000 : fiveMinutes,
});

/** The list of the last answer; the page may show changes that the server does not have yet. */
interface Answered {
  list: FeedList;
  since: string;
  /** When it was last answered as a whole. */
  at: number;
}

const answered = new WeakMap<QueryClient, Answered>();

/** Deltas leave out what moves with the clock alone, such as the time of a feed's next check. */
const maxAge = 60 * 60_000;

/** Loads only what changed since the last answer, where the server knows it. */
async function loadFeeds(client: QueryClient, signal: AbortSignal): Promise<FeedList> {
  const last = answered.get(client);
  const isRecent = last !== undefined && Date.now() - last.at < maxAge;
  const query = isRecent ? { since: last.since } : {};
  const answer = await api.get("/api/feeds", { query, signal });
  if (!last || !answer.isDelta) return noteAnswered(client, answer, answer.since);
  const list = withChanges(last.list, answer);
  answered.set(client, { ...last, list, since: answer.since });
  if (list.feeds !== last.list.feeds)
    rememberAnswer("/api/feeds", { ...answer, ...list, isDelta: false });
  return list;
}

/** Notes a whole list that the server answered. */
export function noteAnswered(client: QueryClient, list: FeedList, since: string): FeedList {
  const { feeds, totals, limits } = list;
  const whole = { feeds, totals, limits };
  if (since) answered.set(client, { list: whole, since, at: Date.now() });
  return whole;
}

export function useFeeds() {
  return useQuery(feedsQuery);
}

let known: ReadonlyMap<FeedId, Feed> = new Map();

/** The feeds by id: the same map until something besides their counts changes, which may be old here. */
export function useFeedsById(): ReadonlyMap<FeedId, Feed> {
  return useQuery({ ...feedsQuery, select: byId }).data ?? noFeeds;
}

const noFeeds: typeof known = new Map();

function byId({ feeds }: FeedList): typeof known {
  if (feeds.length !== known.size || !feeds.every(isKnown))
    known = new Map(feeds.map((feed) => [feed.id, feed]));
  return known;
}

function isKnown(feed: Feed): boolean {
  const { unreadCount, hasUnread } = feed;
  const old = known.get(feed.id);
  const same = { ...old, unreadCount, hasUnread };
  const names = Object.keys(feed) as (keyof Feed)[];
  return old === feed || names.every((name) => feed[name] === same[name]);
}

export function feedTitle(feed: Feed): string {
  return feed.customTitle || feed.title || hostOf(feed.url);
}

export function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

/** Changes the loaded list of feeds with its totals, if there is one. */
export function updateFeeds(client: QueryClient, change: (list: FeedList) => FeedList): void {
  client.setQueryData(feedsQuery.queryKey, (old) => old && change(old));
}
