import { useSyncExternalStore } from "react";
import { pinsPlace } from "./pinned";
import { readPreference, setPreference, subscribePreferences } from "./preferences";
import type { ItemId } from "./types";

/** What a person put aside on this device, to open all of it in tabs. Stars are for keeping, and are the server's. */
export interface Pin {
  id: ItemId;
  link: string;
}

export const mostPins = 100;

/** In the order in which they were pinned. */
export function pins(): readonly Pin[] {
  try {
    const kept: unknown = JSON.parse(readPreference(pinsPlace) ?? "[]");
    return Array.isArray(kept) ? kept.slice(0, mostPins) : [];
  } catch {
    return [];
  }
}

export function setPins(list: readonly Pin[]): void {
  setPreference(pinsPlace, JSON.stringify(list));
}

export function usePinCount(): number {
  return useSyncExternalStore(subscribePreferences, () => pins().length);
}

/** What is pinned in another tab is pinned in this one too. */
export function followPins(): () => void {
  const hear = ({ key, newValue }: StorageEvent) => {
    if (key === `ruri.${pinsPlace}`) setPreference(pinsPlace, newValue ?? "[]");
  };
  window.addEventListener("storage", hear);
  return () => window.removeEventListener("storage", hear);
}

export type Pinning = "pinned" | "unpinned" | "full" | "no link";

export function togglePin({ id, link }: Pin): Pinning {
  const before = pins();
  const others = before.filter((pin) => pin.id !== id);
  if (others.length < before.length) {
    setPins(others);
    return "unpinned";
  }
  if (!/^https?:/.test(link)) return "no link";
  if (before.length >= mostPins) return "full";
  setPins([...before, { id, link }]);
  return "pinned";
}

/**
 * Opens what is pinned in tabs, and unpins what was opened. What the browser did not let through stays pinned: it asks
 * the person whether a page may open windows.
 */
export function openPins(): { opened: readonly Pin[]; blocked: number } {
  const opened: Pin[] = [];
  const blocked: Pin[] = [];
  for (const pin of pins()) {
    // With "noopener" a browser does not tell whether it opened anything.
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

/** Pins again what was opened or let go, before what was pinned since. */
export function restorePins(list: readonly Pin[]): void {
  const ids = new Set(list.map(({ id }) => id));
  setPins([...list, ...pins().filter(({ id }) => !ids.has(id))].slice(0, mostPins));
}
