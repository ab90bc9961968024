import type { QueryClient } from "@tanstack/react-query";
import { ApiError, toApiError } from "./api-error";
import { api } from "./client";
import { feedsKey, feedsQuery } from "./feeds";
import { flags } from "./flags";
import { moveCounts, openOutbox, reversed, type Wish, wish } from "./item-state";
import { putCounts } from "./outbox";
import type { MarkDeed } from "./outbox-store";
import type { Stream } from "./routes";
import { loadedItems, streamQuery, streamsKey } from "./stream";
import { feedsOf, treeQuery } from "./tree";
import type { Counts, Feed, FeedId, Filter, ItemSummary, Order } from "./types";

/** A list as it is shown: what is marked read by it touches nothing else. */
export interface ShownList {
  stream: Stream;
  filter: Filter;
  order: Order;
  items: readonly ItemSummary[];
  /** From its first page; null for lists that the server cannot mark as a whole. */
  asOf: string | null;
}

/** All of a list, or what stands above or below one of its items. */
export type Part = { above: number } | { below: number } | null;

export interface Marked {
  /** As far as the page knows. */
  count: number;
  /** False while it waits for a connection. */
  isSent: boolean;
  /** At any time: also while it waits or is on its way. */
  undo: () => Promise<void>;
  /** How many they were, as the server says; null when it was taken back before. */
  answer: Promise<number | null>;
}

export async function markListRead(
  client: QueryClient,
  list: ShownList,
  part: Part = null,
): Promise<Marked> {
  const shown = inPart(list.items, part);
  // What the server does not know as a list is marked item by item, as far as it was loaded.
  const isPlain = list.asOf === null || list.filter === "starred";
  if (isPlain) return markEach(client, wishesFor(shown));
  const covered = part ? null : feedsCovered(client, list.stream);
  return markWhole(client, list, part, wishesFor([...shown, ...elsewhere(client, list, covered)]));
}

/** The feeds that a mark of the whole stream marks; null when they are not known. */
function feedsCovered(client: QueryClient, stream: Stream): Feed[] | null {
  const feeds = client.getQueryData(feedsQuery.queryKey)?.feeds;
  return feedsOf(stream, feeds, client.getQueryData(treeQuery.queryKey));
}

/** What other lists hold of these feeds: what had come before this list was answered is in it, loaded or not. */
function elsewhere(
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

function inPart(items: readonly ItemSummary[], part: Part): readonly ItemSummary[] {
  if (!part) return items;
  return "above" in part ? items.slice(0, part.above) : items.slice(part.below + 1);
}

/** What becomes read of these items, each with the same story in other feeds. */
function wishesFor(items: readonly ItemSummary[]): Wish[] {
  const marks = { isRead: true };
  const was = { isRead: false };
  const all = items.flatMap((item) => [
    ...(flags.read(item).isRead ? [] : [{ id: item.id, feedId: item.feedId, marks, was }]),
    ...item.alsoIn
      .filter((twin) => !(flags.get(twin.itemId)?.isRead ?? twin.isRead))
      .map((twin) => ({ id: twin.itemId, feedId: twin.feedId, marks, was })),
  ]);
  // A story of two feeds is a row of its own in another list.
  return [...new Map(all.map((one) => [one.id, one])).values()];
}

async function markEach(client: QueryClient, touched: Wish[]): Promise<Marked> {
  wish(client, touched);
  return {
    count: touched.length,
    isSent: navigator.onLine,
    undo: async () => (await openOutbox(client)).takeBack(touched),
    answer: Promise.resolve(touched.length),
  };
}

async function markWhole(
  client: QueryClient,
  list: ShownList,
  part: Part,
  touched: Wish[],
): Promise<Marked> {
  const outbox = await openOutbox(client);
  const before = unreadByFeed(client);
  const covered = part ? null : feedsCovered(client, list.stream);
  const sent = outbox.mark(deedOf(list, part), touched);
  const fewer = shiftCounts(client, covered, touched);
  let late: Wish[] = [];
  return {
    count: covered ? sumOf(fewer.values()) : touched.length,
    isSent: sent.isSent,
    undo: async () => {
      if (sent.takeBack()) restoreCounts(client, before);
      else await takeBack(client, await sent.answer, [...touched, ...late]);
    },
    answer: sent.answer.then(
      (answer) => {
        if (!answer) return null;
        late = part ? [] : adoptRead(client, answer.feeds);
        // Lists that are not seen learn of it when they are opened.
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

function deedOf({ stream, order, asOf, items }: ShownList, part: Part): MarkDeed {
  const at = part && items["above" in part ? part.above : part.below]?.id;
  return {
    ...(stream.kind === "feed" || stream.kind === "folder" ? { [stream.kind]: stream.id } : {}),
    ...(asOf === null ? {} : { asOf }),
    ...(part && at !== undefined ? { ["above" in part ? "above" : "below"]: at } : {}),
    ...(order === "old" ? { order: "oldest" as const } : {}),
  };
}

/**
 * The server remembers of each feed how it was before its last mark. What it cannot turn back for that reason is marked
 * unread again item by item, as far as it was loaded.
 */
async function takeBack(
  client: QueryClient,
  answer: { undo: string | null } | null,
  touched: readonly Wish[],
): Promise<void> {
  if (!answer) return;
  await (await openOutbox(client)).flush();
  const back = new Set<FeedId>();
  try {
    // A repeat, after an answer that was lost, finds nothing unread any more.
    if (answer.undo === null) throw new ApiError(409, { code: "undo_gone" });
    const { feeds, totals } = await api.post("/api/undo", { body: { undo: answer.undo } });
    for (const feed of feeds) back.add(feed.id);
    for (const { id, feedId, was } of touched) if (back.has(feedId)) flags.confirm(id, was);
    putCounts(client, feeds, totals);
  } catch (cause) {
    if (toApiError(cause).code !== "undo_gone" || touched.length === 0) throw cause;
  }
  const left = touched.filter((one) => !back.has(one.feedId));
  wish(client, left.map(reversed));
  // What was loaded between the two deeds came as read.
  void client.invalidateQueries({ queryKey: streamsKey });
}

function unreadByFeed(client: QueryClient): Map<FeedId, number> {
  const feeds = client.getQueryData(feedsQuery.queryKey)?.feeds ?? [];
  return new Map(feeds.map((feed) => [feed.id, feed.unreadCount]));
}

/** Until the answer is there: feeds that are marked as a whole have nothing unread, others as many fewer as are seen. */
function shiftCounts(
  client: QueryClient,
  covered: readonly Feed[] | null,
  touched: readonly Wish[],
): ReadonlyMap<FeedId, number> {
  const fewer = new Map(covered?.map(({ id, unreadCount }) => [id, unreadCount]));
  const whole = new Set(fewer.keys());
  for (const { feedId } of touched)
    if (!whole.has(feedId)) fewer.set(feedId, (fewer.get(feedId) ?? 0) + 1);
  for (const [id, count] of fewer) moveCounts(client, id, -count, 0);
  return fewer;
}

/**
 * Of feeds in which nothing is unread any more, every row that is loaded is read, whichever list has it; but for what
 * was marked unread since, and is still to be sent.
 */
function adoptRead(client: QueryClient, feeds: readonly Counts[]): Wish[] {
  const read = new Set(feeds.filter(({ hasUnread }) => !hasUnread).map(({ id }) => id));
  const rows = loadedItems(client).filter(
    ({ id, feedId }) => read.has(feedId) && flags.ahead(id).read === 0,
  );
  const late = wishesFor(rows);
  for (const { id, marks } of late) flags.adopt(id, marks);
  return late;
}

function sumOf(counts: Iterable<number>): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}

function restoreCounts(client: QueryClient, before: ReadonlyMap<FeedId, number>): void {
  const now = unreadByFeed(client);
  for (const [id, count] of before) moveCounts(client, id, count - (now.get(id) ?? count), 0);
}
