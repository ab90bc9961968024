import { parseStored, readStored, writeStored } from "./device-storage";
import { createStore, useStore } from "./store";
import type { ItemId, Place } from "./types";

/** Where the person stopped in an item. */
export interface Stopped {
  /** How much of the article was read, from 0 to 1. */
  part: number;
  /** Position in its episode. */
  seconds: number;
  /** When, in milliseconds. */
  at: number;
  /** The server has it. */
  isSent?: boolean;
}

interface Kept {
  user: string | null;
  places: Record<ItemId, Stopped>;
}

const key = "ruri.stopped";
const most = 200;
/** The server writes places at most once in this time. */
const sendEvery = 5 * 60_000;
const saveAfter = 500;

/** From which part on an article counts as begun, and as read to its end. */
const begun = 0.02;
const finished = 0.97;

const kept = createStore<Kept>(read());
let timer: ReturnType<typeof setTimeout> | undefined;
let storedAt = 0;

/**
 * Stream goes to the place in this article: the one that was stepped to, or at the upper edge when the list was left, with
 * how much of its line was above the edge.
 */
export const toContinue = createStore<{ id: ItemId; within?: number } | null>(null);

function read(): Kept {
  const { user = null, places = {} } = parseStored<Partial<Kept>>(readStored(key), {});
  return { user, places };
}

function save(): void {
  clearTimeout(timer);
  timer = undefined;
  writeStored(key, JSON.stringify(kept.get()));
}

function change(places: Record<ItemId, Stopped>): void {
  const newest = Object.entries(places)
    .sort(([, a], [, b]) => b.at - a.at)
    .slice(0, most);
  kept.set({ ...kept.get(), places: Object.fromEntries(newest) });
  // Scrolling changes it often.
  timer ??= setTimeout(save, saveAfter);
}

export function stoppedAt(id: ItemId): Stopped | undefined {
  return kept.get().places[id];
}

/** How much of an article is read, in hundredths. */
export function usePart(id: ItemId): number {
  return useStore(kept, ({ places }) => Math.round(100 * (places[id]?.part ?? 0)));
}

/** The same for its mark in a list: 0 unless it is begun and not finished. */
export function useBegun(id: ItemId): number {
  const part = usePart(id);
  return isBegun(part / 100) ? part : 0;
}

export const isBegun = (part: number): boolean => part >= begun && part < finished;

/** Keeps where the person is now. */
export function stop(id: ItemId, patch: Partial<Pick<Stopped, "part" | "seconds">>): void {
  const { places } = kept.get();
  const was = places[id] ?? { part: 0, seconds: 0 };
  const part = patch.part ?? was.part;
  const seconds = patch.seconds ?? was.seconds;
  if (part === was.part && seconds === was.seconds) return;
  change({ ...places, [id]: { part, seconds, at: Date.now() } });
}

/** Takes places over from the server; the newer one of an item counts. */
export function adoptStopped(list: readonly Place[], user = kept.get().user): void {
  if (user !== kept.get().user) kept.set({ user, places: {} });
  const places = { ...kept.get().places };
  for (const { id, at, part = 0, seconds = 0 } of list) {
    const time = Date.parse(at);
    // The server has whole seconds.
    if (time >= Math.floor((places[id]?.at ?? 0) / 1000) * 1000)
      places[id] = { part, seconds, at: time, isSent: true };
  }
  change(places);
}

/** Those that the server does not have, as a request has them. */
export function unsentPlaces(): Place[] {
  return Object.entries(kept.get().places)
    .filter(([, place]) => !place.isSent)
    .map(([id, { at, part, seconds }]) => ({
      id,
      at: `${new Date(at).toISOString().slice(0, 19)}Z`,
      part,
      seconds: Math.floor(seconds),
    }));
}

/** Those that are to go along with another request: none shortly after the last ones were stored. */
export function placesToSend(): Place[] {
  return Date.now() - storedAt < sendEvery ? [] : unsentPlaces();
}

/** What the server said to places that were sent. */
export function answerPlaces(answer: { places?: Place[]; placesStored?: boolean }): void {
  if (!answer.placesStored || !answer.places) return;
  storedAt = Date.now();
  adoptStopped(answer.places);
}

/** To be called before the page is hidden. */
export function saveStopped(): void {
  if (timer !== undefined) save();
}

/** At sign-out. */
export function forgetStopped(): void {
  clearTimeout(timer);
  timer = undefined;
  kept.set({ user: null, places: {} });
  writeStored(key, null);
}
