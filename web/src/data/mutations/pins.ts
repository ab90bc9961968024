import { parseStored } from "../device-storage";
import { pinsKey } from "../pinned";
import { followPreference, readPreference, setPreference, usePreferences } from "../preferences";
import type { ItemId } from "../types";

/** An item put aside on this device, to be opened with others in tabs. Stars are for keeping, and on the server. */
export interface Pin {
  id: ItemId;
  link: string;
}

export const maxPins = 100;

/** In the order in which they were pinned. */
export function pins(): readonly Pin[] {
  const stored = parseStored<unknown>(readPreference(pinsKey), []);
  return Array.isArray(stored) ? stored.slice(0, maxPins) : [];
}

export function setPins(list: readonly Pin[]): void {
  setPreference(pinsKey, JSON.stringify(list));
}

export function usePinCount(): number {
  return usePreferences(() => pins().length);
}

/** What is pinned in another tab is pinned in this one too. */
export function followPins(): () => void {
  return followPreference(pinsKey);
}

type PinResult = "pinned" | "unpinned" | "full" | "no link";

export function togglePin({ id, link }: Pin): PinResult {
  const before = pins();
  const others = before.filter((pin) => pin.id !== id);
  if (others.length < before.length) {
    setPins(others);
    return "unpinned";
  }
  if (!/^https?:/.test(link)) return "no link";
  if (before.length >= maxPins) return "full";
  setPins([...before, { id, link }]);
  return "pinned";
}

/** Opens the pinned items in tabs and unpins those that opened; tabs that the browser blocks stay pinned. */
export function openPins(): { opened: readonly Pin[]; blocked: number } {
  const opened: Pin[] = [];
  const blocked: Pin[] = [];
  for (const pin of pins()) {
    // With "noopener" a browser does not report whether it opened anything.
    const tab = window.open("about:blank");
    if (!tab) {
      blocked.push(pin);
      continue;
    }
    tab.opener = null;
    tab.location.replace(pin.link);
    opened.push(pin);
  }
  setPins(blocked);
  return { opened, blocked: blocked.length };
}

/** Pins these again, before what was pinned since. */
export function restorePins(list: readonly Pin[]): void {
  const ids = new Set(list.map(({ id }) => id));
  setPins([...list, ...pins().filter(({ id }) => !ids.has(id))].slice(0, maxPins));
}
