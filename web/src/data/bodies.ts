import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { ApiError } from "./api-error";
import { api } from "./client";
import { flags } from "./flags";
import { itemQuery } from "./item";
import type { Item, ItemId } from "./types";

// Texts of several items in one request, for lists that show them and for loading ahead.

interface Waiting {
  resolve: (item: Item) => void;
  reject: (cause: unknown) => void;
}

/** Bodies that are asked for within a moment go into one request. */
const gather = 10;
const mostIds = 20;
const waiting = new Map<ItemId, Waiting[]>();
let timer: ReturnType<typeof setTimeout> | null = null;

/** The query of an item, whose text comes together with others. */
export function bodyQuery(id: ItemId) {
  return queryOptions({ ...itemQuery(id), queryFn: () => loadBody(id) });
}

/** Loads texts ahead; not when the browser saves data. */
export function prefetchBodies(client: QueryClient, ids: readonly ItemId[]): void {
  const saves = (navigator as { connection?: { saveData?: boolean } }).connection?.saveData;
  if (!saves && navigator.onLine) for (const id of ids) void client.prefetchQuery(bodyQuery(id));
}

function loadBody(id: ItemId): Promise<Item> {
  // Offline each comes from this device.
  if (!navigator.onLine)
    return api.get("/api/items/{id}", { path: { id } }).then(({ item }) => item);
  return new Promise((resolve, reject) => {
    waiting.set(id, [...(waiting.get(id) ?? []), { resolve, reject }]);
    if (timer === null) timer = setTimeout(() => void send(), gather);
  });
}

async function send(): Promise<void> {
  const asked = [...waiting].slice(0, mostIds);
  for (const [id] of asked) waiting.delete(id);
  timer = waiting.size > 0 ? setTimeout(() => void send(), gather) : null;
  const askedAt = performance.now();
  try {
    const ids = asked.map(([id]) => id).join(",");
    const { items, rest } = await api.get("/api/items/bodies", { query: { ids } });
    flags.absorb(items, askedAt);
    const found = new Map(items.map((item) => [item.id, item]));
    for (const [id, all] of asked) {
      const item = found.get(id);
      for (const one of all) {
        if (item) one.resolve(item);
        else if (rest.includes(id)) loadBody(id).then(one.resolve, one.reject);
        else one.reject(new ApiError(404, { code: "item_not_found" }));
      }
    }
  } catch (cause) {
    for (const [, all] of asked) for (const one of all) one.reject(cause);
  }
}
