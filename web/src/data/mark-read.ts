import type { QueryClient } from "@tanstack/react-query";
import { ApiError, toApiError } from "./api-error";
import { api } from "./client";
import { feedsKey, feedsQuery } from "./feeds";
import { flags } from "./flags";
import { moveCounts, openOutbox, reversed, type Wish, wish } from "./item-state";
import { putCounts } from "./outbox";
import type { MarkDeed } from "./outbox-store";
import type { Stream } from "./routes";
import { streamsKey } from "./stream";
import type { FeedId, Filter, ItemSummary, Order } from "./types";

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
  const touched = wishesFor(inPart(list.items, part));
  // What the server does not know as a list is marked item by item, as far as it was loaded.
  const isPlain = list.asOf === null || list.filter === "starred";
  return isPlain ? markEach(client, touched) : markWhole(client, list, part, touched);
}

function inPart(items: readonly ItemSummary[], part: Part): readonly ItemSummary[] {
  if (!part) return items;
  return "above" in part ? items.slice(0, part.above) : items.slice(part.below + 1);
}

/** What becomes read of these items, each with the same story in other feeds. */
function wishesFor(items: readonly ItemSummary[]): Wish[] {
  const marks = { isRead: true };
  const was = { isRead: false };
  return items.flatMap((item) => [
    ...(flags.read(item).isRead ? [] : [{ id: item.id, feedId: item.feedId, marks, was }]),
    ...item.alsoIn
      .filter((twin) => !(flags.get(twin.itemId)?.isRead ?? twin.isRead))
      .map((twin) => ({ id: twin.itemId, feedId: twin.feedId, marks, was })),
  ]);
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
  const { stream } = list;
  const outbox = await openOutbox(client);
  const before = unreadByFeed(client);
  const sent = outbox.mark(deedOf(list, part), touched);
  shiftCounts(client, stream, part, touched, before);
  return {
    count: stream.kind === "feed" && !part ? (before.get(stream.id) ?? 0) : touched.length,
    isSent: sent.isSent,
    undo: async () => {
      if (sent.takeBack()) restoreCounts(client, before);
      else await takeBack(client, await sent.answer, touched);
    },
    answer: sent.answer.then(
      (answer) => {
        if (!answer) return null;
        // Lists that are not seen learn of it when they are opened.
        void client.invalidateQueries({ queryKey: streamsKey, refetchType: "none" });
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

/** Until the answer is there: a whole feed has nothing unread, elsewhere as many fewer as are seen. */
function shiftCounts(
  client: QueryClient,
  stream: Stream,
  part: Part,
  touched: readonly Wish[],
  before: ReadonlyMap<FeedId, number>,
): void {
  const fewer = new Map<FeedId, number>();
  if (stream.kind === "feed" && !part) fewer.set(stream.id, before.get(stream.id) ?? 0);
  else for (const { feedId } of touched) fewer.set(feedId, (fewer.get(feedId) ?? 0) + 1);
  for (const [id, count] of fewer) moveCounts(client, id, -count, 0);
}

function restoreCounts(client: QueryClient, before: ReadonlyMap<FeedId, number>): void {
  const now = unreadByFeed(client);
  for (const [id, count] of before) moveCounts(client, id, count - (now.get(id) ?? count), 0);
}
