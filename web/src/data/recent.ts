import { api } from "./client";
import { parseStored, readStored } from "./device-storage";
import { readPreference, setPreference } from "./preferences";
import type { Item, ItemId } from "./types";

// What was opened on this device, the last one first. The list never leaves the device.

const name = "opened";
const mostKept = 100;
/** GET /api/items/bodies answers so many. */
const perPage = 20;

interface Opened {
  user: string;
  list: readonly ItemId[];
}

export function noteOpened(id: ItemId): void {
  const user = readStored("ruri.user");
  if (user === null) return;
  const others = openedItems().filter((one) => one !== id);
  const opened: Opened = { user, list: [id, ...others].slice(0, mostKept) };
  setPreference(name, JSON.stringify(opened));
}

export function forgetOpened(): void {
  setPreference(name, "");
}

/** What somebody else opened here is not shown. */
function openedItems(): readonly ItemId[] {
  const opened = parseStored<Partial<Opened> | null>(readPreference(name) || null, null);
  if (opened?.user !== readStored("ruri.user") || !Array.isArray(opened.list)) return [];
  return opened.list.filter((one) => typeof one === "string");
}

type Rest = Pick<NonNullable<Parameters<typeof api.get>[1]>, "anew" | "background" | "signal">;

/** A page of the list; the cursor is the position of its first item. */
export async function recentItems(cursor: string | null, rest: Rest) {
  const at = Number(cursor ?? 0);
  const all = openedItems();
  const ids = all.slice(at, at + perPage);
  const { items, left } = ids.length > 0 ? await load(ids, rest) : { items: [], left: 0 };
  const next = at + ids.length - left;
  return { items, nextCursor: next < all.length ? String(next) : null, asOf: null };
}

async function load(ids: readonly ItemId[], rest: Rest): Promise<{ items: Item[]; left: number }> {
  if (navigator.onLine) {
    const query = { ids: ids.join(",") };
    const answer = await api.get("/api/items/bodies", { query, ...rest });
    return { items: answer.items, left: answer.rest.length };
  }
  // Each comes from this device, as far as it is there.
  const found = await Promise.allSettled(
    ids.map((id) => api.get("/api/items/{id}", { path: { id }, ...rest })),
  );
  const items = found.flatMap((one) => (one.status === "fulfilled" ? [one.value.item] : []));
  return { items, left: 0 };
}
