import { createStore, useStore } from "./store";
import type { ItemId } from "./types";

interface Connection {
  /** The server cannot be reached, according to the browser or to the last request. */
  isOffline: boolean;
  /** The items whose texts are stored on this device; null while that is not known. */
  savedItems: ReadonlySet<ItemId> | null;
  /** Requests that the server has asked to wait (429). */
  delayed: number;
}

const connection = createStore<Connection>({
  isOffline: !navigator.onLine,
  savedItems: null,
  delayed: 0,
});
const update = (patch: Partial<Connection>) => connection.set({ ...connection.get(), ...patch });

export const onConnectionChange = connection.subscribe;

export function noteReached(isReached: boolean): void {
  if (isReached === connection.get().isOffline) update({ isOffline: !isReached });
}

export function noteSavedItems(ids: ReadonlySet<ItemId>): void {
  update({ savedItems: ids });
}

/** Notes that a request has to wait; the returned function notes that it goes on. */
export function noteDelayed(): () => void {
  update({ delayed: connection.get().delayed + 1 });
  return () => update({ delayed: connection.get().delayed - 1 });
}

export function useIsDelayed(): boolean {
  return useStore(connection, ({ delayed }) => delayed > 0);
}

export function isOffline(): boolean {
  return connection.get().isOffline;
}

export function useOffline(): boolean {
  return useStore(connection, (state) => state.isOffline);
}

/** Offline, and the item cannot be opened until that ends. */
export function useNotSaved(id: ItemId): boolean {
  return useStore(
    connection,
    (state) => state.isOffline && state.savedItems !== null && !state.savedItems.has(id),
  );
}

window.addEventListener("online", () => noteReached(true));
window.addEventListener("offline", () => noteReached(false));
