import { isUnreachable, noteSaved } from "../connection";
import { flags } from "../flags";
import type { Item, ItemSummary } from "../types";
import { kindOf } from "./kinds";
import { distrustStore, dropStore, type KeptAnswer, store } from "./store";

/** Lists that are kept; the oldest give way. */
const keptLists = 120;

/** Whether anything is wanted here at all. */
let isWanted = true;
/** The server has named in this tab who reads; before that nothing is written. */
let isSure = false;
/** Somebody has left since: what is still on its way may be theirs. */
let isTainted = false;
let early: [url: string, body: unknown][] = [];
let tail: Promise<unknown> = Promise.resolve();
const listeners = new Set<() => void>();

/** One write after the other; a browser without storage reads on without. */
function queue(work: () => Promise<unknown>): Promise<void> {
  const turn = tail.then(work).catch(() => undefined);
  tail = turn;
  return turn.then(() => undefined);
}

/** Every answer to a GET comes by here (data/client.ts). */
export function keepAnswer(url: string, body: unknown): void {
  if (!isWanted || kindOf(url) === null) return;
  if (isSure) void queue(() => write(url, body));
  else early.push([url, body]);
  if (url === "/api/me") void queue(() => settleOwner((body as { user: { id: string } }).user.id));
}

async function write(url: string, body: unknown): Promise<void> {
  if (!isSure) return;
  if (kindOf(url) === "item") await store.putItems([(body as { item: Item }).item]);
  else await store.putAnswers([{ url, body, at: Date.now() }]);
}

/** What lies here of another person goes, before anything of this one comes. */
async function settleOwner(user: string): Promise<void> {
  if (!isWanted) return;
  const owner = await store.owner();
  const isOther = owner !== undefined && owner.user !== user;
  if (isOther) await dropStore();
  await store.setOwner({ user, isSure: true });
  isSure = true;
  const answers = early.splice(0).filter(([url]) => !(isTainted || isOther) || url === "/api/me");
  isTainted = false;
  for (const [url, body] of answers) await write(url, body);
  for (const listener of listeners) listener();
}

/** Hears when it is known who reads: now, or later. */
export function listenForOwner(listener: () => void): () => void {
  listeners.add(listener);
  if (isSure) listener();
  return () => listeners.delete(listener);
}

function startOver(): void {
  isSure = false;
  isTainted = true;
  early = [];
}

/** A person wants nothing kept on this device, or something again. True when it has to be asked anew who reads. */
export async function want(something: boolean): Promise<boolean> {
  if (something === isWanted) return false;
  isWanted = something;
  if (!something) await forget();
  return something;
}

/** At sign-out: nothing stays on the device. */
export function forget(): Promise<void> {
  startOver();
  return queue(dropStore);
}

/** Somebody is at the sign-in page: whether it is the same person is known when they are in. */
export function distrust(): Promise<void> {
  startOver();
  return queue(distrustStore);
}

/** Only these bodies are wanted, and of the lists the newest. */
export function prune(wanted: ReadonlySet<string>): Promise<void> {
  return queue(async () => {
    if (!isSure) return;
    const ids = await store.itemIds();
    await store.dropItems(ids.filter((id) => !wanted.has(id)));
    const lists = ((await store.answers()) ?? []).filter(({ url }) => kindOf(url) === "list");
    lists.sort((a, b) => b.at - a.at);
    await store.dropAnswers(lists.slice(keptLists).map(({ url }) => url));
  });
}

/** What was marked since a list came: so that it is seen as it was left. */
export function keepMarks(): Promise<void> {
  return queue(async () => {
    if (!isSure) return;
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

/** Tells the rows which of them can be opened while there is no network. */
export async function tellSaved(): Promise<void> {
  if (!isUnreachable()) return;
  const ids = await store.itemIds().catch(() => []);
  noteSaved(new Set(ids));
}
