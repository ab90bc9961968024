import { api } from "../client";
import { createQueue } from "../request-queue";
import { loadPage } from "../stream";
import type { Filter, ItemSummary } from "../types";
import { prune } from "./keeper";
import { Pace } from "./pace";
import { store } from "./store";

/** Few people have more starred items, and each takes a request. */
const maxStarred = 1_000;

const enqueue = createQueue();

/**
 * Loads what can be read offline: the unread, the newest and the starred list, and the texts of the newest `amount` items
 * (unread ones first) and of all starred ones. Lists go one page further, to show what is not saved.
 */
export function fill(amount: number, signal: AbortSignal): Promise<void> {
  // Work for another amount ends first, and releases the lock.
  return enqueue(() => fillAlone(amount, signal));
}

async function fillAlone(amount: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  // One tab works for all.
  await navigator.locks.request("ruri-offline-fill", { ifAvailable: true }, async (lock) => {
    if (lock) await fillNow(amount, new Pace(signal), signal);
  });
}

async function fillNow(amount: number, pace: Pace, signal: AbortSignal): Promise<void> {
  const items = new Map<string, ItemSummary>();
  await take("unread", amount, items, pace, signal);
  await take("all", amount, items, pace, signal);
  await take("starred", items.size + maxStarred, items, pace, signal);
  const here = new Map((await store.items()).map((item) => [item.id, item]));
  for (const { id, updatedAt } of items.values()) {
    const kept = here.get(id);
    if (kept && kept.updatedAt === updatedAt) continue;
    await pace.turn();
    // The client passes every answer to the keeper.
    await api.get("/api/items/{id}", { path: { id }, signal });
  }
  await prune(new Set(items.keys()));
}

/** Loads a list page by page until there are `upTo` items. */
async function take(
  filter: Filter,
  upTo: number,
  items: Map<string, ItemSummary>,
  pace: Pace,
  signal: AbortSignal,
): Promise<void> {
  const stream = { kind: filter === "starred" ? "starred" : "all" } as const;
  let cursor: string | null = null;
  do {
    await pace.turn();
    const isEnough: boolean = items.size >= upTo;
    const page = await loadPage(stream, filter, "new", { cursor, signal });
    for (const item of page.items) if (items.size < upTo) items.set(item.id, item);
    cursor = isEnough ? null : page.nextCursor;
  } while (cursor !== null);
}
