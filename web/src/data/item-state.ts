import type { QueryClient } from "@tanstack/react-query";
import { readStored } from "./device-storage";
import { type Flags, flags, type Marks } from "./flags";
import { countMutations, type Mutation } from "./mark-mutation";
import type { Outbox } from "./mutations/outbox";
import type { FeedId, ItemId } from "./types";

/** An item as rows, articles and menus have it. */
export type Markable = Flags & {
  id: ItemId;
  feedId: FeedId;
  alsoIn?: readonly { itemId: ItemId; feedId: FeedId; isRead: boolean }[];
};

let outbox: Promise<Outbox> | null = null;
/** Mutations made before the outbox was loaded. */
const early: Mutation[] = [];

/** Whether an earlier visit left mutations to send: they are to be seen in the first list. */
export function hasPending(): boolean {
  return readStored("ruri.outbox") !== null;
}

/** Loads the outbox: with the first mutation, or after the first list. */
export function openOutbox(client: QueryClient): Promise<Outbox> {
  outbox ??= import("./mutations/outbox")
    .then(({ startOutbox }) => startOutbox(client))
    .then((opened) => {
      opened.put(early.splice(0));
      return opened;
    })
    .catch((cause) => {
      outbox = null; // tried again with the next mutation
      throw cause;
    });
  return outbox;
}

/** To be called after signing in; opens another outbox when it is another person. */
export async function resumeOutbox(client: QueryClient): Promise<Outbox> {
  const opened = await openOutbox(client);
  if (await opened.resume()) return opened;
  opened.end();
  outbox = null;
  return openOutbox(client);
}

/** At sign-out: sends pending changes, or with `forget` deletes them from the device. */
export async function closeOutbox(forget: boolean): Promise<void> {
  const opened = await outbox?.catch(() => null);
  if (!forget) return opened?.flush();
  opened?.end(true);
  outbox = null;
}

/** Shows marks at once and puts them into the outbox. Reports whether there was anything to change. */
export function setItemState(client: QueryClient, item: Markable, patch: Marks): boolean {
  const was = flags.read(item);
  const marks: Marks = {};
  for (const mark of ["isRead", "isStarred"] as const) {
    const wanted = patch[mark];
    if (wanted !== undefined && wanted !== was[mark]) marks[mark] = wanted;
  }
  const mutations: Mutation[] = [{ id: item.id, feedId: item.feedId, marks, was }];
  // The same story in other feeds is marked read with it: the list shows it once.
  if (marks.isRead !== undefined) {
    for (const { itemId: id, feedId, isRead } of item.alsoIn ?? []) {
      const before = { isRead: flags.get(id)?.isRead ?? isRead };
      mutations.push({ id, feedId, marks: { isRead: marks.isRead }, was: before });
    }
  }
  const hasChanged = Object.keys(marks).length > 0;
  if (hasChanged) mutate(client, mutations);
  return hasChanged;
}

/** Shows mutations at once and puts them into the outbox. */
export function mutate(client: QueryClient, mutations: readonly Mutation[]): void {
  if (mutations.length === 0) return;
  for (const { id, marks, was } of mutations) flags.show(id, was, marks);
  countMutations(client, mutations);
  early.push(...mutations);
  openOutbox(client).then(
    (opened) => opened.put(early.splice(0)),
    () => undefined,
  );
}
