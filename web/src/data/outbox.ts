import type { QueryClient } from "@tanstack/react-query";
import { type ApiError, toApiError } from "./api-error";
import { api } from "./client";
import { isUnreachable, listenForConnection } from "./connection";
import { feedsKey, feedsQuery } from "./feeds";
import { flags } from "./flags";
import { countWishes, reversed, type Wish } from "./item-state";
import { meQuery } from "./me";
import { claimDevice, newDevice, orphans } from "./outbox-device";
import {
  type Batch,
  type Device,
  deleteStore,
  type MarkDeed,
  MemoryStore,
  type OutboxStore,
  openStore,
} from "./outbox-store";
import { setPins } from "./pins";
import { streamsKey } from "./stream";
import type { Counts, ItemId, Totals } from "./types";
import { setWaiting } from "./waiting";

const flushAfter = 1_000;
/** The server takes a thousand ids in a request; a request that outlives its page, 64 kB. */
const mostWishes = 1_000;
const retryAfter = [5, 15, 60, 300];

/** What a flush or a mark answers. */
interface Answer {
  undo?: string | null;
  items?: { id: ItemId; isRead: boolean; isStarred: boolean; error: string | null }[];
  feeds: Counts[];
  totals: Totals;
}

export interface MarkAnswer extends Answer {
  undo: string | null;
}

/** Some marks were not taken: those of items that are gone (error null), or what the server refused. */
export interface Refusal {
  error: ApiError | null;
  count: number;
}

/** A mark of a stream on its way. Null is its answer when it was taken back before it was answered. */
export interface SentMark {
  /** False while there is no connection: it waits. */
  isSent: boolean;
  answer: Promise<MarkAnswer | null>;
  /** False when it is answered: then the answer says what takes it back. */
  takeBack(): boolean;
}

interface Marking {
  resolve: (answer: MarkAnswer | null) => void;
  reject: (cause: unknown) => void;
}

/**
 * Marks on their way to the server. Each is kept on the device at once; a second later all that came meanwhile
 * goes in one request. What cannot be sent stays, also when the tab is closed, and goes when it can.
 */
export class Outbox {
  private readonly client: QueryClient;
  private readonly store: OutboxStore;
  private device: Device;
  /** Oldest first. Those of tabs that are gone come before our own. */
  private readonly batches: Batch[];
  private readonly marking = new Map<Batch, Marking>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private flushing: Promise<void> | null = null;
  /** Those of this visit that may have arrived. */
  private readonly attempted = new WeakSet<Batch>();
  private tries = 0;
  /** Nobody is signed in. */
  private isPaused = false;
  private readonly refused = new Set<(refusal: Refusal) => void>();
  private readonly channel: BroadcastChannel | null;
  private readonly stop = new AbortController();
  private readonly user: string;

  constructor(
    client: QueryClient,
    user: string,
    store: OutboxStore,
    device: Device,
    left: Batch[] = [],
  ) {
    this.client = client;
    this.user = user;
    this.store = store;
    this.device = device;
    // An attempt to send them may have been made.
    this.batches = left.map((batch) => ({ ...batch, isClosed: true }));
    for (const batch of this.batches) {
      const wishes = wishesOf(batch);
      for (const { id, was, marks } of wishes) flags.show(id, was, marks);
      // Else the counts come with the answer to them.
      if (isUnreachable() && !batch.mark?.isTakenBack) countWishes(client, wishes);
    }
    this.channel =
      typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(`ruri-outbox-${user}`);
    this.channel?.addEventListener("message", this.hear, { signal: this.stop.signal });
    if (!navigator.locks) this.channel?.postMessage({ taken: left.map((batch) => batch.device) });
    const { signal } = this.stop;
    // The reader can be down while the network is not.
    const unlisten = listenForConnection(() => isUnreachable() || this.wake());
    signal.addEventListener("abort", unlisten);
    window.addEventListener("online", () => this.wake(), { signal });
    window.addEventListener("pagehide", () => this.leave(), { signal });
    document.addEventListener("visibilitychange", () => this.wake(), { signal });
    this.count();
    if (this.batches.length > 0) this.wake();
  }

  /** Hears what was not taken. */
  onRefused(listener: (refusal: Refusal) => void): () => void {
    this.refused.add(listener);
    return () => this.refused.delete(listener);
  }

  /** Takes wishes; of an item the last word counts. */
  put(wishes: readonly Wish[]): void {
    if (wishes.length === 0) return;
    let open = this.batches.at(-1);
    for (const wish of wishes) {
      if (!open || open.isClosed || open.wishes.length >= mostWishes) open = this.begin();
      const old = open.wishes.find((one) => one.id === wish.id);
      if (old) {
        old.marks = { ...old.marks, ...wish.marks };
        old.was = { ...wish.was, ...old.was };
      } else open.wishes.push({ ...wish });
    }
    for (const batch of this.batches) if (!batch.isClosed) void this.keep(batch);
    this.count();
    this.timer ??= setTimeout(() => void this.flush(), flushAfter);
  }

  /** Marks a stream read, after all that was marked before. */
  mark(deed: MarkDeed, touched: Wish[]): SentMark {
    this.closeOpen();
    const batch = this.begin();
    batch.mark = { deed, touched };
    batch.isClosed = true;
    for (const { id, was, marks } of touched) flags.show(id, was, marks);
    void this.keep(batch);
    this.count();
    const answer = new Promise<MarkAnswer | null>((resolve, reject) => {
      this.marking.set(batch, { resolve, reject });
    });
    void this.flush();
    return {
      isSent: navigator.onLine && !this.isPaused,
      answer,
      takeBack: () => this.unmark(batch),
    };
  }

  private unmark(batch: Batch): boolean {
    const { mark } = batch;
    if (!mark || !this.batches.includes(batch)) return false;
    if (this.attempted.has(batch)) {
      batch.mark = { ...mark, touched: mark.touched.map(reversed), isTakenBack: true };
      for (const { id, was, marks } of batch.mark?.touched ?? []) flags.show(id, was, marks);
      void this.keep(batch);
    } else {
      this.drop(batch);
      this.settle(mark.touched, () => ({}));
    }
    this.marking.get(batch)?.resolve(null);
    this.marking.delete(batch);
    return true;
  }

  /** Takes wishes back: what waits in the open batch was never sent, and is forgotten; the rest is turned round. */
  takeBack(wishes: readonly Wish[]): void {
    countWishes(this.client, wishes.map(reversed));
    const open = this.batches.at(-1);
    const sent = wishes.filter((wish) => !open || open.isClosed || !forget(open, wish));
    if (open && open.wishes.length === 0 && !open.isClosed) this.drop(open);
    else if (open) void this.keep(open);
    this.settle(
      wishes.filter((wish) => !sent.includes(wish)),
      () => ({}),
    );
    for (const { id, was, marks } of sent) flags.show(id, marks, was);
    this.put(sent.map(reversed));
    this.count();
  }

  /** Sends what waits, now; resolved when all is sent or it is clear that it cannot be. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!navigator.onLine || this.isPaused) return Promise.resolve();
    this.closeOpen();
    this.flushing ??= this.drain().finally(() => {
      this.flushing = null;
    });
    return this.flushing;
  }

  /** Somebody is signed in (again). False when it is another than the one whose outbox this is. */
  async resume(): Promise<boolean> {
    if ((await currentUser(this.client)) !== this.user) return false;
    // Signing in forgot what was shown.
    for (const wish of this.batches.flatMap(wishesOf)) flags.show(wish.id, wish.was, wish.marks);
    this.isPaused = false;
    this.wake();
    return true;
  }

  /** Ends the work here; what waits stays on the device, unless it is to be forgotten. */
  end(forget = false): void {
    this.stop.abort();
    clearTimeout(this.timer);
    this.channel?.close();
    this.store.close();
    if (forget) deleteStore(this.user);
    setWaiting(0);
  }

  get waiting(): number {
    const ids = this.batches.flatMap((batch) => batch.wishes.map((wish) => wish.id));
    return new Set(ids).size + this.batches.filter((batch) => batch.mark).length;
  }

  private begin(): Batch {
    this.device = { ...this.device, counter: this.device.counter + 1 };
    const batch: Batch = { ...this.device, isClosed: false, wishes: [] };
    this.batches.push(batch);
    return batch;
  }

  private closeOpen(): void {
    const open = this.batches.at(-1);
    if (!open || open.isClosed) return;
    open.isClosed = true;
    void this.keep(open);
  }

  private keep(batch: Batch): Promise<void> {
    return this.store.put(batch).catch(() => undefined); // a full disk: it is still sent
  }

  private drop(batch: Batch): void {
    const at = this.batches.indexOf(batch);
    if (at >= 0) this.batches.splice(at, 1);
    void this.store.remove(batch).catch(() => undefined);
    this.count();
  }

  private count(): void {
    setWaiting(this.waiting, this.user);
  }

  private async drain(): Promise<void> {
    for (let batch = this.batches[0]; batch?.isClosed; batch = this.batches[0]) {
      this.attempted.add(batch);
      try {
        // Nothing is awaited before the request: it may be the last that the page can do.
        const answer = await send(batch, [batch]);
        this.tries = 0;
        const { mark } = batch;
        if (mark?.isTakenBack && mark.undo === undefined && answer.undo) {
          mark.undo = answer.undo; // the next round sends it
          void this.keep(batch);
        } else this.taken(batch, answer);
      } catch (cause) {
        if (!this.failed(batch, toApiError(cause))) return;
      }
    }
  }

  private taken(batch: Batch, answer: Answer): void {
    this.drop(batch);
    const said = new Map(answer.items?.map((item) => [item.id, item]));
    this.settle(wishesOf(batch), (wish) => {
      const truth = said.get(wish.id);
      // Of a mark only what it turned is known; an item that is gone goes back to what it was.
      if (!truth) return batch.mark ? wish.marks : {};
      return truth.error ? {} : { isRead: truth.isRead, isStarred: truth.isStarred };
    });
    this.applyCounts(answer);
    this.channel?.postMessage({ answer: { ...answer, marked: batch.mark?.touched } });
    // What the server cannot unmark as a whole, it unmarks item by item.
    if (batch.mark?.isTakenBack) {
      const back = new Set(batch.mark.undo === undefined ? [] : answer.feeds.map(({ id }) => id));
      this.put(batch.mark.touched.filter(({ feedId }) => !back.has(feedId)));
      void this.client.invalidateQueries({ queryKey: streamsKey });
    }
    const gone = answer.items?.filter((item) => item.error).length ?? 0;
    if (gone > 0) this.tell({ error: null, count: gone });
    this.marking.get(batch)?.resolve({ undo: null, ...answer });
    this.marking.delete(batch);
  }

  /** True when the next may be sent. */
  private failed(batch: Batch, error: ApiError): boolean {
    if (error.status === 401) {
      this.isPaused = true;
      return false;
    }
    const passes =
      error.status === 0 || error.status >= 500 || error.status === 408 || error.status === 429;
    if (passes) {
      const wait =
        error.retryAfter ?? retryAfter[Math.min(this.tries, retryAfter.length - 1)] ?? 60;
      this.tries += 1;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.flush(), wait * 1_000);
      return false;
    }
    this.drop(batch);
    const wishes = wishesOf(batch);
    if (batch.mark?.undo !== undefined) {
      this.put(wishes); // it was marked, and can no longer be unmarked as a whole
      return true;
    }
    this.settle(wishes, () => ({}));
    void this.client.invalidateQueries({ queryKey: feedsKey });
    const marking = this.marking.get(batch);
    if (marking) marking.reject(error);
    else this.tell({ error, count: wishes.length });
    this.marking.delete(batch);
    return true;
  }

  private settle(wishes: readonly Wish[], truth: (wish: Wish) => Wish["marks"]): void {
    const later = new Set(this.batches.flatMap((batch) => wishesOf(batch).map((wish) => wish.id)));
    for (const wish of wishes) flags.confirm(wish.id, truth(wish), !later.has(wish.id));
  }

  /** Counts of the answer, and what is shown beyond what the server knows. */
  private applyCounts({ feeds, totals }: Answer): void {
    const ahead = new Map<string, number>();
    let [unread, starred] = [0, 0];
    const seen = new Set<ItemId>();
    for (const wish of this.batches.flatMap((batch) => batch.wishes)) {
      if (seen.has(wish.id)) continue;
      seen.add(wish.id);
      const more = flags.ahead(wish.id);
      ahead.set(wish.feedId, (ahead.get(wish.feedId) ?? 0) - more.read);
      unread -= more.read;
      starred += more.starred;
    }
    putCounts(
      this.client,
      feeds.map((one) => {
        const unreadCount = Math.max(0, one.unreadCount + (ahead.get(one.id) ?? 0));
        return { ...one, unreadCount, hasUnread: unreadCount > 0 };
      }),
      { ...totals, unread: totals.unread + unread, starred: totals.starred + starred },
    );
  }

  private tell(refusal: Refusal): void {
    for (const listener of this.refused) listener(refusal);
  }

  private wake(): void {
    if (this.batches.length === 0) return;
    this.tries = 0;
    void this.flush();
  }

  /**
   * The page goes. What could not be sent before goes along under the newest number: with a number of its own it
   * might overtake what is on its way, and the server would take that for a repeat.
   */
  private leave(): void {
    if (!this.flushing) {
      void this.flush();
      return;
    }
    this.closeOpen();
    const own = this.batches.filter((batch) => batch.device === this.device.device);
    const last = own.at(-1);
    if (!last || own.length < 2 || own.some((batch) => batch.mark)) return;
    send(last, own).catch(() => undefined);
  }

  /** Another tab of the same person. */
  private readonly hear = ({ data }: MessageEvent): void => {
    const { answer, taken } = data as {
      answer?: Answer & { marked?: Wish[] };
      taken?: number[];
    };
    if (taken?.includes(this.device.device)) {
      this.closeOpen();
      this.device = newDevice();
    }
    if (!answer) return;
    const settledBy = (id: ItemId) =>
      !this.batches.some((b) => wishesOf(b).some((w) => w.id === id));
    for (const { id, isRead, isStarred, error } of answer.items ?? []) {
      if (!error) adopt(id, { isRead, isStarred }, settledBy(id));
    }
    for (const { id, marks } of answer.marked ?? []) adopt(id, marks, settledBy(id));
    this.applyCounts(answer);
  };
}

function adopt(id: ItemId, marks: Wish["marks"], isLast: boolean): void {
  if (isLast) flags.adopt(id, marks);
  else flags.confirm(id, marks, false);
}

/** True when the batch waits to be sent with this wish: now without it. */
function forget(batch: Batch, { id, marks, was }: Wish): boolean {
  const at = batch.wishes.findIndex((one) => one.id === id);
  const one = batch.wishes[at];
  if (!one) return false;
  for (const mark of Object.keys(marks) as (keyof Wish["marks"])[]) {
    if (one.was[mark] === was[mark]) delete one.marks[mark];
    else one.marks[mark] = was[mark] as boolean;
  }
  if (Object.keys(one.marks).length === 0) batch.wishes.splice(at, 1);
  return true;
}

function wishesOf(batch: Batch): readonly Wish[] {
  return batch.mark ? batch.mark.touched : batch.wishes;
}

/** Sends batches of one device under the number of the last of them. */
function send({ device, counter, mark }: Batch, batches: readonly Batch[]): Promise<Answer> {
  if (mark?.undo !== undefined) return api.post("/api/undo", { body: { undo: mark.undo } });
  if (mark) return api.post("/api/items/mark-read", { body: mark.deed });
  const changes = batches.flatMap((batch) => changesOf(batch.wishes));
  return api.post("/api/items/state", {
    body: { batch: { device, counter }, changes, undo: false },
    keepalive: batches.reduce((sum, batch) => sum + batch.wishes.length, 0) <= mostWishes,
  });
}

/** Items that are to become the same go together. */
export function changesOf(wishes: readonly Wish[]) {
  const groups = new Map<string, Wish["marks"] & { ids: ItemId[] }>();
  for (const { id, marks } of wishes) {
    const key = `${marks.isRead} ${marks.isStarred}`;
    const group = groups.get(key);
    if (group) group.ids.push(id);
    else groups.set(key, { ids: [id], ...marks });
  }
  return [...groups.values()];
}

/** Puts counts from the server's answer into the side bar. */
export function putCounts(client: QueryClient, feeds: readonly Counts[], totals: Totals): void {
  const byId = new Map(feeds.map((one) => [one.id, one]));
  client.setQueryData(feedsQuery.queryKey, (old) => {
    if (!old) return old;
    return {
      ...old,
      totals,
      feeds: old.feeds.map((feed) => {
        const now = byId.get(feed.id);
        if (!now || (now.unreadCount === feed.unreadCount && now.hasUnread === feed.hasUnread))
          return feed;
        return { ...feed, unreadCount: now.unreadCount, hasUnread: now.hasUnread };
      }),
    };
  });
  // A list of feeds that was asked for before the answer may arrive after it.
  if (client.isFetching({ queryKey: feedsKey }) > 0) {
    void client.invalidateQueries({ queryKey: feedsKey });
  }
}

const userKey = "ruri.user";

/** Opens the outbox of whoever is signed in; without a connection, of who was here last. */
export async function startOutbox(client: QueryClient): Promise<Outbox> {
  const user = await currentUser(client);
  const store = user === null ? new MemoryStore() : await openStore(user);
  const device = await claimDevice(store);
  const left = await orphans(store, device.device);
  return new Outbox(client, user ?? "", store, device, left);
}

export async function currentUser(client: QueryClient): Promise<string | null> {
  try {
    const { user } = await client.ensureQueryData(meQuery);
    // What is pinned here is that person's, too.
    if ((localStorage.getItem(userKey) ?? user.id) !== user.id) setPins([]);
    localStorage.setItem(userKey, user.id);
    return user.id;
  } catch (cause) {
    if (toApiError(cause).status !== 0) throw cause;
    return localStorage.getItem(userKey);
  }
}
