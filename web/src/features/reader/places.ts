import type { ItemId } from "@/data/types";

/** Where a list was left: by the item at its top, so that other sizes and other columns come to the same place. */
export interface Place {
  id: ItemId;
  /** How much of its line is above the edge, in pixels. */
  within: number;
  /** How far down the list it stood: so much must be loaded to find it again. */
  index: number;
}

const kept = 30;
const name = "ruri.places";

/** The last thirty, for back and for the change of feeds; the tab remembers them over a reload. */
const places = new Map<string, Place>(read());

function read(): [string, Place][] {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "[]");
  } catch {
    return [];
  }
}

export function placeOf(list: string): Place | undefined {
  return places.get(list);
}

export function keepPlace(list: string, place: Place): void {
  places.delete(list);
  places.set(list, place);
  const first = places.keys().next().value;
  if (places.size > kept && first !== undefined) places.delete(first);
}

/** To be called before the page goes. */
export function savePlaces(): void {
  try {
    sessionStorage.setItem(name, JSON.stringify([...places]));
  } catch {
    // storage is forbidden
  }
}
