import { readPreference, usePreferences } from "./preferences";
import type { ItemId } from "./types";

/** Where this device stores the pins (mutations/pins.ts). */
export const pinsKey = "pins";

/** Whether an item is pinned. Searches the stored text, so that the first screen needs no code for pins. */
export function useIsPinned(id: ItemId): boolean {
  return usePreferences(() => readPreference(pinsKey)?.includes(`"id":"${id}"`) ?? false);
}
