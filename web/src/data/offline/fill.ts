import { api } from "../client";
import { createQueue } from "../request-queue";
import { loadPage } from "../stream";
import type { Filter, ItemSummary } from "../types";
import { prune } from "./keeper";
import { Pace } from "./pace";
import { store } from "./store";

/** Few people have more starred items. */
const maxStarred = 1_000;
/** Items of one batch, and of one page of a list: what the server allows. */
const batchSize = 50;
const pageSize = 200;

const enqueue = createQueue();

/**
 * Loads what can be read offline, if it is time: the unread list and, if that is short, the newest; the starred one; and the
 * texts of the newest `amount` items (unread ones first) and of all starred ones, as far as they are not here.
 */
export function fill(amount: number, signal: AbortSignal): Promise<void> {
  // Work for another amount ends first, and releases the lock.
  return enqueue(() => fillAlone(amount, signal));
}

async function fillAlone(amount: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  // One tab works for all.
  await navigator.locks.request("ruri-offline-fill", { ifAvailable: true }, async (lock) => {
    const pace = lock && (await Pace.start(amount, signal));
    if (!pace) return;
    try {
      await fillNow(amount, pace, signal);
      await pace.done();
    } catch (cause) {
      await pace.failed(cause);
      throw cause;
    }
  });
}

async function fillNow(amount: number, pace: Pace, signal: AbortSignal): Promise<void> {
  const items = new Map<string, ItemSummary>();
  await take("unread", amount, items, pace, signal);
  if (items.size < amount) await take("all", amount, items, pace, signal);
  await take("starred", items.size + maxStarred, items, pace, signal);
  const here = new Map((await store.items()).map((item) => [item.id, item]));
  let wanted = [...items.values()]
    .filter(({ id, updatedAt }) => here.get(id)?.updatedAt !== updatedAt)
    .map(({ id }) => id);
  while (wanted.length > 0) {
    await pace.turn();
    const query = { ids: wanted.slice(0, batchSize).join(",") };
    // The client passes every answer to the keeper.
    const { rest } = await api.get("/api/items/bodies", { query, background: true, signal });
    wanted = [...rest, ...wanted.slice(batchSize)];
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
    const options = { cursor, limit: pageSize, background: true, signal };
    const page = await loadPage(stream, filter, "new", options);
    for (const item of page.items) if (items.size < upTo) items.set(item.id, item);
    cursor = items.size < upTo ? page.nextCursor : null;
  } while (cursor !== null);
}
