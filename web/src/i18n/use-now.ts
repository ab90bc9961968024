import { useSyncExternalStore } from "react";

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** The time, renewed each minute: one timer for all relative times on the page. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** The beginning of today: renders again at midnight only. */
export function useToday(): number {
  return useSyncExternalStore(subscribe, () => new Date(now).setHours(0, 0, 0, 0));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (!timer) {
    now = Date.now();
    timer = setInterval(() => {
      now = Date.now();
      for (const one of listeners) one();
    }, 60_000);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}
