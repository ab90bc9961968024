import { isOffline, noteSavedItems } from "../connection";
import { flags } from "../flags";
import { createQueue } from "../request-queue";
import { createStore } from "../store";
import type { Item, ItemSummary } from "../types";
import { kindOf } from "./kinds";
import { distrustStore, dropStore, type FillTimes, type KeptAnswer, store } from "./store";

/** Lists that are kept; the oldest are dropped. */
const maxLists = 120;

let isEnabled = true;
/** The server has confirmed in this tab who is signed in; before that nothing is written. */
let isOwnerKnown = false;
/** Counts these confirmations. */
const confirmations = createStore(0);
/** Somebody has signed out since: answers that are still on their way may be theirs. */
let isTainted = false;
let early: [url: string, body: unknown][] = [];
const enqueue = createQueue();

/** One write after the other; a browser without storage works without the copy. */
async function write(work: () => Promise<unknown>): Promise<void> {
  await enqueue(work).catch(() => undefined);
}

/** Receives every answer to a GET (data/client.ts). */
export function keepAnswer(url: string, body: unknown): void {
  if (!isEnabled || kindOf(url) === null) return;
  if (isOwnerKnown) void write(() => putAnswer(url, body));
  else early.push([url, body]);
  if (url === "/api/me") void write(() => settleOwner((body as { user: { id: string } }).user.id));
}

async function putAnswer(url: string, body: unknown): Promise<void> {
  if (!isOwnerKnown) return;
  const kind = kindOf(url);
  if (kind === "item") await store.putItems([(body as { item: Item }).item]);
  else if (kind === "batch") await store.putItems((body as { items: Item[] }).items);
  else await store.putAnswers([{ url, body, at: Date.now() }]);
}

/** Deletes the copy of another person before anything of this one is written. */
async function settleOwner(user: string): Promise<void> {
  if (!isEnabled) return;
  const owner = await store.owner();
  const isOther = owner !== undefined && owner.user !== user;
  if (isOther) await dropStore();
  await store.setOwner({ user, isSure: true });
  isOwnerKnown = true;
  const answers = early.splice(0).filter(([url]) => !(isTainted || isOther) || url === "/api/me");
  isTainted = false;
  for (const [url, body] of answers) await putAnswer(url, body);
  confirmations.set(confirmations.get() + 1);
}

/** Notifies when the server has confirmed who is signed in, and at once when it is known already. */
export function onOwnerConfirmed(listener: () => void): () => void {
  if (isOwnerKnown) listener();
  return confirmations.subscribe(listener);
}

function startOver(): void {
  isOwnerKnown = false;
  isTainted = true;
  early = [];
}

/** Switches the copy on or off; off deletes it. Returns true when the user has to be confirmed again. */
export async function enableOfflineCopy(isOn: boolean): Promise<boolean> {
  if (isOn === isEnabled) return false;
  isEnabled = isOn;
  if (!isOn) await forgetOfflineCopy();
  return isOn;
}

/** At sign-out: deletes everything from the device. */
export function forgetOfflineCopy(): Promise<void> {
  startOver();
  return write(dropStore);
}

/** At the sign-in page: the copy is not used until it is known that the same person signs in. */
export function suspendOfflineCopy(): Promise<void> {
  startOver();
  return write(distrustStore);
}

/** Writes when the copy is filled; false where nothing can be written, so that nothing need be loaded. */
export async function keepTimes(times: FillTimes): Promise<boolean> {
  let isWritten = false;
  await write(async () => {
    if (!isOwnerKnown) return;
    await store.setTimes(times);
    isWritten = true;
  });
  return isWritten;
}

/** Keeps only these items, and of the lists the newest. */
export function prune(wanted: ReadonlySet<string>): Promise<void> {
  return write(async () => {
    if (!isOwnerKnown) return;
    const ids = await store.itemIds();
    await store.dropItems(ids.filter((id) => !wanted.has(id)));
    const lists = ((await store.answers()) ?? []).filter(({ url }) => kindOf(url) === "list");
    lists.sort((a, b) => b.at - a.at);
    await store.dropAnswers(lists.slice(maxLists).map(({ url }) => url));
  });
}

/** Writes the marks that were set since lists and items were kept. */
export function keepMarks(): Promise<void> {
  return write(async () => {
    if (!isOwnerKnown) return;
    const marked = <T extends ItemSummary>(item: T): T => ({ ...item, ...flags.get(item.id) });
    await store.putItems((await store.items()).filter(({ id }) => flags.get(id)).map(marked));
    const lists: KeptAnswer[] = [];
    for (const kept of (await store.answers()) ?? []) {
      if (kindOf(kept.url) !== "list") continue;
      const body = kept.body as { items: ItemSummary[] };
      if (!body.items.some(({ id }) => flags.get(id))) continue;
      lists.push({ ...kept, body: { ...body, items: body.items.map(marked) } });
    }
    await store.putAnswers(lists);
  });
}

/** While offline: updates which items can be opened. */
export async function publishSavedItems(): Promise<void> {
  if (!isOffline()) return;
  noteSavedItems(new Set(await store.itemIds().catch(() => [])));
}
