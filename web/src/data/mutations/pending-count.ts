import { writeStored } from "../device-storage";
import { createStore, useStore } from "../store";

/** How many marks wait to be sent. */
const pending = createStore(0);

/** Also stores a hint for the next visit, which then opens the outbox before the first list. */
export function setPendingCount(count: number, user = ""): void {
  writeStored("ruri.outbox", count > 0 ? user : null);
  pending.set(count);
}

export function usePendingCount(): number {
  return useStore(pending, (count) => count);
}
