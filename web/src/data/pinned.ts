import { useSyncExternalStore } from "react";
import { readPreference, subscribePreferences } from "./preferences";
import type { ItemId } from "./types";

/** Under what name this device keeps the pins (pins.ts). */
export const pinsPlace = "pins";

/** Whether an item is pinned; what is kept is searched as it is, so that rows need none of the code around it. */
export function useIsPinned(id: ItemId): boolean {
  return useSyncExternalStore(
    subscribePreferences,
    () => readPreference(pinsPlace)?.includes(`"id":"${id}"`) ?? false,
  );
}
