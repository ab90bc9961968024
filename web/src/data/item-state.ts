import type { QueryClient } from "@tanstack/react-query";
import { feedsQuery } from "./feeds";
import { type Flags, flags, type Marks } from "./flags";
import type { Outbox } from "./outbox";
import type { FeedId, ItemId } from "./types";

/** What is wanted of an item's marks. */
export interface Wish {
  id: ItemId;
  feedId: FeedId;
  marks: Marks;
  /** Those marks before, as far as the page knows. */
  was: Marks;
}

/** An item as rows, articles and menus have it. */
export type Markable = Flags & {
  id: ItemId;
  feedId: FeedId;
  alsoIn?: readonly { itemId: ItemId; feedId: FeedId; isRead: boolean }[];
};

let outbox: Promise<Outbox> | null = null;
/** Wishes from before the outbox was loaded. */
const early: Wish[] = [];

/** An earlier visit has left something to send: it is to be seen in the first list. */
export function hasWaiting(): boolean {
  try {
    return localStorage.getItem("ruri.outbox") !== null;
  } catch {
    return false;
  }
}

/** The outbox is loaded when there is something to send, or when the first list stands. */
export function openOutbox(client: QueryClient): Promise<Outbox> {
  outbox ??= import("./outbox")
    .then(({ startOutbox }) => startOutbox(client))
    .then((opened) => {
      opened.put(early.splice(0));
      return opened;
    })
    .catch((cause) => {
      outbox = null; // tried again with the next mark
      throw cause;
    });
  return outbox;
}

/** Somebody is signed in: the one whose outbox this is, or another. */
export async function resumeOutbox(client: QueryClient): Promise<Outbox> {
  const opened = await openOutbox(client);
  if (await opened.resume()) return opened;
  opened.end();
  outbox = null;
  return openOutbox(client);
}

/** At sign-out: what waits is sent before, and nothing of it stays on the device after. */
export async function closeOutbox(forget: boolean): Promise<void> {
  const opened = await outbox?.catch(() => null);
  if (!forget) return opened?.flush();
  opened?.end(true);
  outbox = null;
}

/** Shows a mark at once and hands it to the outbox. False when there is nothing to change. */
export function setItemState(client: QueryClient, item: Markable, patch: Marks): boolean {
  const { isRead, isStarred } = flags.read(item);
  const marks: Marks = {
    ...(patch.isRead !== undefined && patch.isRead !== isRead ? { isRead: patch.isRead } : {}),
    ...(patch.isStarred !== undefined && patch.isStarred !== isStarred
      ? { isStarred: patch.isStarred }
      : {}),
  };
  if (Object.keys(marks).length === 0) return false;
  const wishes: Wish[] = [{ id: item.id, feedId: item.feedId, marks, was: { isRead, isStarred } }];
  // The same story in other feeds is read with it: the list shows it once.
  if (marks.isRead !== undefined) {
    for (const twin of item.alsoIn ?? []) {
      wishes.push({
        id: twin.itemId,
        feedId: twin.feedId,
        marks: { isRead: marks.isRead },
        was: { isRead: flags.get(twin.itemId)?.isRead ?? twin.isRead },
      });
    }
  }
  wish(client, wishes);
  return true;
}

export function wish(client: QueryClient, wishes: readonly Wish[]): void {
  if (wishes.length === 0) return;
  for (const { id, marks, was } of wishes) flags.show(id, was, marks);
  countWishes(client, wishes);
  early.push(...wishes);
  openOutbox(client).then(
    (opened) => opened.put(early.splice(0)),
    () => undefined,
  );
}

export function reversed({ id, feedId, marks, was }: Wish): Wish {
  return { id, feedId, marks: was, was: marks };
}

/** Counts what is wished as if it had come true. */
export function countWishes(client: QueryClient, wishes: readonly Wish[]): void {
  const step = (now?: boolean, before?: boolean) =>
    now === undefined ? 0 : Number(now) - Number(before);
  for (const { feedId, marks, was } of wishes) {
    moveCounts(
      client,
      feedId,
      -step(marks.isRead, was.isRead),
      step(marks.isStarred, was.isStarred),
    );
  }
}

/** The side bar's counts go with what is shown; the answer to the flush puts them right. */
export function moveCounts(client: QueryClient, id: FeedId, unread: number, starred: number): void {
  if (unread === 0 && starred === 0) return;
  client.setQueryData(feedsQuery.queryKey, (old) => {
    const feed = old?.feeds.find((one) => one.id === id);
    if (!old || !feed) return old;
    const unreadCount = Math.max(0, feed.unreadCount + unread);
    return {
      ...old,
      totals: {
        ...old.totals,
        // Muted feeds are not among all.
        unread: Math.max(
          0,
          old.totals.unread + (feed.isMuted ? 0 : unreadCount - feed.unreadCount),
        ),
        starred: Math.max(0, old.totals.starred + starred),
      },
      feeds: old.feeds.map((one) =>
        one === feed
          ? {
              ...one,
              unreadCount,
              hasUnread: unreadCount > 0,
              starredCount: Math.max(0, one.starredCount + starred),
            }
          : one,
      ),
    };
  });
}
