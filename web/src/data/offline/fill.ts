import { api } from "../client";
import { loadPage } from "../stream";
import type { Filter, ItemSummary } from "../types";
import { prune } from "./keeper";
import { Pace } from "./pace";
import { store } from "./store";

/** More stars than these are kept by few, and would be many requests. */
const mostStars = 1_000;

let running: Promise<void> = Promise.resolve();

interface Wanted {
  items: Map<string, ItemSummary>;
}

/**
 * Fetches what is to be there without a network: the unread, the newest and the starred list, and the bodies of the
 * newest `amount` items (the unread ones before the others) and of all starred ones. Lists go one page further, so
 * that one sees what is not there.
 */
export function fill(amount: number, signal: AbortSignal): Promise<void> {
  // Another amount is wanted: what was begun for the old one ends first, and gives the lock back.
  running = running.then(() => fillAlone(amount, signal));
  const mine = running;
  running = mine.catch(() => undefined);
  return mine;
}

async function fillAlone(amount: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  // One tab does it for all.
  await navigator.locks.request("ruri-offline-fill", { ifAvailable: true }, async (lock) => {
    if (lock) await fillNow(amount, new Pace(signal), signal);
  });
}

async function fillNow(amount: number, pace: Pace, signal: AbortSignal): Promise<void> {
  const wanted: Wanted = { items: new Map() };
  await take("unread", amount, wanted, pace, signal);
  await take("all", amount, wanted, pace, signal);
  await take("starred", wanted.items.size + mostStars, wanted, pace, signal);
  const here = new Map((await store.items()).map((item) => [item.id, item]));
  for (const { id, updatedAt } of wanted.items.values()) {
    const kept = here.get(id);
    if (kept && kept.updatedAt === updatedAt) continue;
    await pace.turn();
    // The client gives every answer to the keeper.
    await api.get("/api/items/{id}", { path: { id }, signal });
  }
  await prune(new Set(wanted.items.keys()));
}

/** Reads a list page by page until `upTo` items are wanted. */
async function take(
  filter: Filter,
  upTo: number,
  { items }: Wanted,
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
