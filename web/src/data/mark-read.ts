import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { applyCounts } from "./feeds";
import { flags } from "./flags";
import type { FeedId, ItemSummary } from "./types";

export interface MarkUndo {
  marked: number;
  undo: (() => Promise<void>) | null;
}

/** Marks a feed read up to the newest item that was shown; what arrived since stays unread. */
export async function markFeedRead(
  client: QueryClient,
  feedId: FeedId,
  unreadBefore: number,
  shown: readonly ItemSummary[],
  upTo: string | undefined,
): Promise<MarkUndo> {
  const touched = shown.filter((item) => item.feedId === feedId && !flags.read(item).isRead);
  for (const item of touched) flags.show(item, { isRead: true });
  try {
    const answer = await api.post("/api/feeds/{id}/mark-read", {
      path: { id: feedId },
      body: upTo === undefined ? {} : { upTo },
    });
    for (const item of touched) flags.confirm(item.id, { isRead: true });
    applyCounts(client, answer.feed, answer.totals);
    const token = answer.undo;
    return {
      marked: Math.max(0, unreadBefore - answer.feed.unreadCount),
      undo: token === null ? null : () => undoMark(client, feedId, token, touched),
    };
  } catch (error) {
    for (const item of touched) flags.revert(item.id);
    throw error;
  }
}

async function undoMark(
  client: QueryClient,
  feedId: FeedId,
  undo: string,
  touched: readonly ItemSummary[],
): Promise<void> {
  for (const item of touched) flags.show(item, { isRead: false });
  try {
    const answer = await api.post("/api/feeds/{id}/mark-read/undo", {
      path: { id: feedId },
      body: { undo },
    });
    for (const item of touched) flags.confirm(item.id, { isRead: false });
    applyCounts(client, answer.feed, answer.totals);
  } catch (error) {
    for (const item of touched) flags.revert(item.id);
    throw error;
  }
}
