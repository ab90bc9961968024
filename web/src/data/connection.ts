import { useSyncExternalStore } from "react";
import type { ItemId } from "./types";

/** Whether the reader can be reached, as the browser says and as the last request found. */
let isOffline = !navigator.onLine;
/** The items whose bodies this device has; null while nobody needs to know. */
let saved: ReadonlySet<ItemId> | null = null;
const listeners = new Set<() => void>();

export function listenForConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(): void {
  for (const listener of listeners) listener();
}

export function noteReached(isReached: boolean): void {
  if (isOffline === !isReached) return;
  isOffline = !isReached;
  tell();
}

export function noteSaved(ids: ReadonlySet<ItemId> | null): void {
  saved = ids;
  tell();
}

/** Requests that the server has asked to wait. */
let waiting = 0;

/** Gives a function that ends it. */
export function noteAskedToWait(): () => void {
  waiting += 1;
  tell();
  return () => {
    waiting -= 1;
    tell();
  };
}

export function useAskedToWait(): boolean {
  return useSyncExternalStore(listenForConnection, () => waiting > 0);
}

export function isUnreachable(): boolean {
  return isOffline;
}

export function useOffline(): boolean {
  return useSyncExternalStore(listenForConnection, isUnreachable);
}

/** Offline, and the item cannot be opened until that ends. */
export function useNotSaved(id: ItemId): boolean {
  return useSyncExternalStore(
    listenForConnection,
    () => isOffline && saved !== null && !saved.has(id),
  );
}

window.addEventListener("online", () => noteReached(true));
window.addEventListener("offline", () => noteReached(false));
