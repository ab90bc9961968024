import type { QueryClient } from "@tanstack/react-query";
import { ApiError, toApiError } from "../api-error";
import { api } from "../client";
import { shiftCounts } from "../counts";
import { feedsKey, feedsQuery } from "../feeds";
import { flags } from "../flags";
import { mutate, openOutbox } from "../item-state";
import { type Mutation, reversed } from "../mark-mutation";
import type { ListName } from "../new-items";
import { isSearch } from "../routes";
import { sortTime } from "../sort-time";
import { hasOwnOrder, streamQuery, streamsKey } from "../stream";
import { feedsOf, treeQuery } from "../tree";
import type { Counts, Feed, FeedId, ItemSummary } from "../types";
import { loadedItems } from "./lists";
import { applyCounts, loadedFeeds } from "./loaded-feeds";
import type { MarkReadRequest } from "./outbox-store";

/** A list as it is shown: marking it read touches nothing else. */
export interface ShownList extends ListName {
  items: readonly ItemSummary[];
  /** From its first page; null for lists that the server cannot mark as a whole. */
  asOf: string | null;
}

/** All of a list, what is above or below one of its items, what came before a time, or some of its items. */
export type Part =
  | { above: number }
  | { below: number }
  | { before: string }
  | { items: readonly ItemSummary[] }
  | null;

interface Marked {
  /** As far as the page knows. */
  count: number;
  /** False while it waits for a connection. */
  isSent: boolean;
  /** Works at any time, also before it is sent or answered. */
  undo: () => Promise<void>;
  /** How many were marked, as the server says; null when it was undone before. */
  answer: Promise<number | null>;
}

export async function markListRead(
  client: QueryClient,
  list: ShownList,
  part: Part = null,
): Promise<Marked> {
  const shown = inPart(list.items, part);
  // What the server does not know as a list, or a part of, is marked item by item, as far as it was loaded.
  const isPopularPart = part !== null && list.order === "popular";
  const isChosen = part !== null && "items" in part;
  if (
    list.asOf === null ||
    list.filter === "starred" ||
    isSearch(list.stream) ||
    isPopularPart ||
    isChosen
  ) {
    return markEach(client, readMutations(shown));
  }
  const feeds = part ? null : feedsCovered(client, list);
  const items = [...shown, ...loadedElsewhere(client, list, feeds)];
  return markWhole(client, list, part, feeds, readMutations(items));
}

/** The feeds that marking the whole stream marks; null when they are not known. */
function feedsCovered(client: QueryClient, { stream }: ShownList): Feed[] | null {
  const feeds = client.getQueryData(feedsQuery.queryKey)?.feeds;
  return feedsOf(stream, feeds, client.getQueryData(treeQuery.queryKey));
}

/** Items of these feeds in other lists that came before this list was answered: it covers them, loaded or not. */
function loadedElsewhere(
  client: QueryClient,
  { stream, filter, order, items }: ShownList,
  covered: Feed[] | null,
): ItemSummary[] {
  const { queryKey } = streamQuery(stream, filter, order);
  const since = client.getQueryData(queryKey)?.pages[0]?.loadedAt;
  if (!covered || since === undefined) return [];
  const feeds = new Set(covered.map(({ id }) => id));
  const known = new Set(items.map(({ id }) => id));
  return loadedItems(client, since).filter(({ id, feedId }) => feeds.has(feedId) && !known.has(id));
}

const day = 24 * 60 * 60 * 1000;

/** What is older than so many days. Undefined when that is nothing. */
export function olderThan(days: number, list: ShownList, hasMore: boolean): Part | undefined {
  const limit = new Date(Date.now() - days * day).toISOString();
  const isOld = (item: ItemSummary) => Date.parse(sortTime(item)) < Date.parse(limit);
  const { stream, order, items } = list;
  if (hasOwnOrder(stream, order) || isSearch(stream)) {
    const old = items.filter(isOld);
    return old.length > 0 ? { items: old } : undefined;
  }
  const isOldFirst = order === "old";
  const edge = items.findIndex((item) => isOld(item) !== isOldFirst);
  if (edge < 0) return hasMore ? { before: limit } : isOldFirst ? null : undefined;
  if (edge === 0) return isOldFirst ? undefined : null;
  return isOldFirst ? { above: edge } : { below: edge - 1 };
}

function inPart(items: readonly ItemSummary[], part: Part): readonly ItemSummary[] {
  if (!part) return items;
  if ("items" in part) return part.items;
  // Loaded ones would have been marked as what is below one of them.
  if ("before" in part) return [];
  return "above" in part ? items.slice(0, part.above) : items.slice(part.below + 1);
}

/** Marks those of these items that are unread, each with the same story in other feeds. */
function readMutations(items: readonly ItemSummary[]): Mutation[] {
  const change = { marks: { isRead: true }, was: { isRead: false } };
  const all = items.flatMap((item) => [
    ...(flags.read(item).isRead ? [] : [{ id: item.id, feedId: item.feedId, ...change }]),
    ...item.alsoIn
      .filter((copy) => !(flags.get(copy.itemId)?.isRead ?? copy.isRead))
      .map((copy) => ({ id: copy.itemId, feedId: copy.feedId, ...change })),
  ]);
  // A story of two feeds is a row of its own in another list.
  return [...new Map(all.map((one) => [one.id, one])).values()];
}

async function markEach(client: QueryClient, touched: Mutation[]): Promise<Marked> {
  mutate(client, touched);
  return {
    count: touched.length,
    isSent: navigator.onLine,
    undo: async () => (await openOutbox(client)).undo(touched),
    answer: Promise.resolve(touched.length),
  };
}

async function markWhole(
  client: QueryClient,
  list: ShownList,
  part: Part,
  feeds: Feed[] | null,
  touched: Mutation[],
): Promise<Marked> {
  const outbox = await openOutbox(client);
  const before = unreadByFeed(client);
  const sent = outbox.mark(requestFor(list, part), touched);
  const fewer = showFewerUnread(client, feeds, touched);
  let late: Mutation[] = [];
  return {
    count: feeds ? [...fewer.values()].reduce((sum, count) => sum + count, 0) : touched.length,
    isSent: sent.isSent,
    undo: async () => {
      if (sent.undo()) restoreCounts(client, before);
      else await undoMark(client, await sent.answer, [...touched, ...late]);
    },
    answer: sent.answer.then(
      (answer) => {
        if (!answer) return null;
        late = part ? [] : adoptRead(client, answer.feeds);
        // Lists that are not shown are updated when they are opened.
        void client.invalidateQueries({ queryKey: streamsKey, refetchType: "none" });
        // A feed that was counted as read and did not change has only what came later.
        const changed = new Set(answer.feeds.map(({ id }) => id));
        if ([...fewer].some(([id, count]) => count > 0 && !changed.has(id)))
          void client.invalidateQueries({ queryKey: feedsKey });
        const count = answer.feeds.reduce(
          (sum, feed) => sum + Math.max(0, (before.get(feed.id) ?? 0) - feed.unreadCount),
          0,
        );
        return Math.max(count, answer.undo ? 1 : 0);
      },
      (cause) => {
        void client.invalidateQueries({ queryKey: feedsKey });
        throw cause;
      },
    ),
  };
}

function requestFor({ stream, order, asOf, items }: ShownList, part: Part): MarkReadRequest {
  const side = part && ("above" in part ? "above" : "below" in part ? "below" : null);
  const at = side && items[(part as Record<string, number>)[side] ?? -1]?.id;
  const before = part && "before" in part ? part.before : null;
  return {
    ...(stream.kind === "feed" || stream.kind === "folder" ? { [stream.kind]: stream.id } : {}),
    ...(asOf === null ? {} : { asOf }),
    ...(side && at ? { [side]: at } : {}),
    ...(before === null ? {} : { before }),
    ...(order === "old" ? { order: "oldest" as const } : {}),
  };
}

/**
 * The server remembers of each feed how it was before its last mark. What it cannot restore for that reason is marked
 * unread again item by item, as far as it was loaded.
 */
async function undoMark(
  client: QueryClient,
  answer: { undo: string | null } | null,
  touched: readonly Mutation[],
): Promise<void> {
  if (!answer) return;
  await (await openOutbox(client)).flush();
  const restored = new Set<FeedId>();
  try {
    // A repeat, after an answer that was lost, finds nothing unread any more.
    if (answer.undo === null) throw new ApiError(409, { code: "nothing_to_undo" });
    const { feeds, totals } = await api.post("/api/undo", { body: { undo: answer.undo } });
    for (const feed of feeds) restored.add(feed.id);
    for (const { id, feedId, was } of touched) if (restored.has(feedId)) flags.confirm(id, was);
    applyCounts(client, feeds, totals);
  } catch (cause) {
    const isGone = ["undo_gone", "nothing_to_undo"].includes(toApiError(cause).code);
    if (!isGone || touched.length === 0) throw cause;
  }
  mutate(client, touched.filter((one) => !restored.has(one.feedId)).map(reversed));
  // What was loaded between marking and undoing came as read.
  void client.invalidateQueries({ queryKey: streamsKey });
}

function unreadByFeed(client: QueryClient): ReadonlyMap<FeedId, number> {
  return new Map(loadedFeeds(client).map((feed) => [feed.id, feed.unreadCount]));
}

/**
 * Until the answer arrives: feeds that are marked as a whole have nothing unread, the others fewer by the items that were
 * marked. Returns by how much the count of each feed changed.
 */
function showFewerUnread(
  client: QueryClient,
  whole: readonly Feed[] | null,
  touched: readonly Mutation[],
): ReadonlyMap<FeedId, number> {
  const fewer = new Map(whole?.map(({ id, unreadCount }) => [id, unreadCount]));
  const isWhole = new Set(fewer.keys());
  for (const { feedId } of touched)
    if (!isWhole.has(feedId)) fewer.set(feedId, (fewer.get(feedId) ?? 0) + 1);
  for (const [id, count] of fewer) shiftCounts(client, id, -count);
  return fewer;
}

/**
 * In feeds without unread items every loaded row is read, whichever list has it; except what was marked unread since and
 * is still to be sent.
 */
function adoptRead(client: QueryClient, feeds: readonly Counts[]): Mutation[] {
  const read = new Set(feeds.filter(({ hasUnread }) => !hasUnread).map(({ id }) => id));
  const rows = loadedItems(client).filter(
    ({ id, feedId }) => read.has(feedId) && flags.ahead(id).read === 0,
  );
  const late = readMutations(rows);
  for (const { id, marks } of late) flags.adopt(id, marks);
  return late;
}

function restoreCounts(client: QueryClient, before: ReadonlyMap<FeedId, number>): void {
  const now = unreadByFeed(client);
  for (const [id, count] of before) {
    shiftCounts(client, id, count - (now.get(id) ?? count));
  }
}
