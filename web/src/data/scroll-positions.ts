import type { ItemId } from "./types";

/** The scroll position of a list, by the item at its top: independent of sizes and columns. */
export interface ScrollPosition {
  id: ItemId;
  /** How much of its line is above the edge, in px. */
  within: number;
  /** Its index: so many items must be loaded to find it again. */
  index: number;
}

const maxPositions = 30;
const name = "ruri.places";

/** The last thirty, also after a reload of the tab. */
const positions = new Map<string, ScrollPosition>(read());

function read(): [string, ScrollPosition][] {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "[]");
  } catch {
    return [];
  }
}

export function scrollPosition(list: string): ScrollPosition | undefined {
  return positions.get(list);
}

export function keepScrollPosition(list: string, position: ScrollPosition): void {
  positions.delete(list);
  positions.set(list, position);
  const first = positions.keys().next().value;
  if (positions.size > maxPositions && first !== undefined) positions.delete(first);
}

/** At sign-out: the names of lists have what was searched for. */
export function forgetScrollPositions(): void {
  positions.clear();
  try {
    sessionStorage.removeItem(name);
  } catch {
    // storage is forbidden
  }
}

/** To be called before the page is closed. */
export function saveScrollPositions(): void {
  try {
    sessionStorage.setItem(name, JSON.stringify([...positions]));
  } catch {
    // storage is forbidden
  }
}
