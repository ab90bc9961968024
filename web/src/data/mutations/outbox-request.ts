import { api } from "../client";
import type { Mutation } from "../mark-mutation";
import type { Counts, ItemId, Totals } from "../types";
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
}

/** Sends batches of one device under the number of the last of them. */
export function send({ device, counter, mark }: Batch, batches: readonly Batch[]): Promise<Answer> {
  if (mark?.undo !== undefined) return api.post("/api/undo", { body: { undo: mark.undo } });
  if (mark) return api.post("/api/items/mark-read", { body: mark.request });
  const mutations = batches.flatMap((batch) => batch.mutations);
  const changes = batches.flatMap((batch) => changesOf(batch.mutations));
  const notes = batches.flatMap((batch) => batch.notes ?? []);
  return api.post("/api/items/state", {
    body: {
      batch: { device, counter },
      changes,
      undo: false,
      ...(notes.length > 0 ? { notes: bodyOf(notes) } : {}),
    },
    keepalive: mutations.length <= maxMutations,
  });
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
