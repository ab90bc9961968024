import { useSyncExternalStore } from "react";

/** How many marks wait for a connection. */
let waiting = 0;
const listeners = new Set<() => void>();

const hint = "ruri.outbox";

export function setWaiting(count: number, user = ""): void {
  waiting = count;
  try {
    if (count > 0) localStorage.setItem(hint, user);
    else localStorage.removeItem(hint);
  } catch {
    // kept in memory
  }
  for (const listener of listeners) listener();
}

export function useWaiting(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => waiting,
  );
}
