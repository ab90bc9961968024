import { api } from "../client";
import type { Mutation } from "../mark-mutation";
import { answerPlaces, placesToSend, saveStopped, unsentPlaces } from "../stopped";
import type { Counts, ItemId, Place, Totals } from "../types";
import { bodyOf } from "./outbox-notes";
import type { Batch } from "./outbox-store";

/** The server takes a thousand ids in a request, and a browser 64 kB in one that outlives its page. */
export const maxMutations = 1_000;

/** The answer to a batch. */
export interface Answer {
  undo?: string | null;
  items?: { id: ItemId; isRead: boolean; isStarred: boolean; error: string | null }[];
  feeds: Counts[];
  totals: Totals;
  /** Of marks of items: the notes that went along were taken. */
  noted?: boolean;
  /** All places of the person, if some went along, and whether these were stored. */
  places?: Place[];
  placesStored?: boolean;
}

/** Sends batches of one device under the number of the last of them. */
export async function send(
  { device, counter, mark }: Batch,
  batches: readonly Batch[],
): Promise<Answer> {
  if (mark?.undo !== undefined) return api.post("/api/undo", { body: { undo: mark.undo } });
  if (mark) return api.post("/api/items/mark-read", { body: mark.request });
  const mutations = batches.flatMap((batch) => batch.mutations);
  const changes = batches.flatMap((batch) => changesOf(batch.mutations));
  const notes = batches.flatMap((batch) => batch.notes ?? []);
  const places = placesToSend();
  const answer: Answer = await api.post("/api/items/state", {
    body: {
      batch: { device, counter },
      changes,
      undo: false,
      ...(notes.length > 0 ? { notes: bodyOf(notes) } : {}),
      ...(places.length > 0 ? { places } : {}),
    },
    keepalive: mutations.length <= maxMutations,
  });
  answerPlaces(answer);
  return answer;
}

/** Groups items that become the same. */
export function changesOf(mutations: readonly Mutation[]) {
  const groups = new Map<string, Mutation["marks"] & { ids: ItemId[] }>();
  for (const { id, marks } of mutations) {
    const key = `${marks.isRead} ${marks.isStarred}`;
    const group = groups.get(key);
    if (group) group.ids.push(id);
    else groups.set(key, { ids: [id], ...marks });
  }
  return [...groups.values()];
}

let isSendingPlaces = false;

/** Sends places alone: the page is hidden, and may be gone then. */
export async function sendPlaces(): Promise<void> {
  saveStopped();
  const places = unsentPlaces();
  if (places.length === 0 || isSendingPlaces || !navigator.onLine) return;
  isSendingPlaces = true;
  try {
    const body = { changes: [], undo: false, places };
    answerPlaces(await api.post("/api/items/state", { body, keepalive: true }));
  } catch {
    // They go along with something later.
  }
  isSendingPlaces = false;
}
