import { useSyncExternalStore } from "react";
import { createStore } from "@/data/store";

const clock = createStore(Date.now());
let timer: ReturnType<typeof setInterval> | undefined;
let readers = 0;

/** The time, renewed each minute: one timer for all relative times on the page. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, clock.get);
}

/** The beginning of today: renders again at midnight only. */
export function useToday(): number {
  return useSyncExternalStore(subscribe, () => new Date(clock.get()).setHours(0, 0, 0, 0));
}

/** The timer runs while somebody reads it. */
function subscribe(listener: () => void): () => void {
  if (readers === 0) {
    clock.set(Date.now());
    timer = setInterval(() => clock.set(Date.now()), 60_000);
  }
  readers += 1;
  const unsubscribe = clock.subscribe(listener);
  return () => {
    unsubscribe();
    readers -= 1;
    if (readers === 0) clearInterval(timer);
  };
}
