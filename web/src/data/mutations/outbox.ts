import type { QueryClient } from "@tanstack/react-query";
import { type ApiError, toApiError } from "../api-error";
import { isOffline, onConnectionChange } from "../connection";
import { readStored, writeStored } from "../device-storage";
import { feedsKey } from "../feeds";
import { flags, type Marks } from "../flags";
import { countMutations, type Mutation, reversed } from "../mark-mutation";
import { meQuery } from "../me";
import { keepNotes } from "../notes";
import { streamsKey } from "../stream";
import type { ItemId } from "../types";
import { applyCounts } from "./loaded-feeds";
import { claimDevice, newDevice, orphans } from "./outbox-device";
import { returnNotes, takeNotes } from "./outbox-notes";
import { type Answer, maxMutations, send, sendPlaces } from "./outbox-request";
import {
  type Batch,
  type Device,
  deleteStore,
  type MarkReadRequest,
  MemoryStore,
  type OutboxStore,
  openStore,
} from "./outbox-store";
import { setPendingCount } from "./pending-count";
import { setPins } from "./pins";

const flushAfter = 1_000;
/** Seconds until the next attempt. */
const retryDelays = [5, 15, 60, 300];

interface MarkAnswer extends Answer {
  undo: string | null;
}

/** Marks that were not saved: of items that no longer exist (error null), or refused by the server. */
export interface Refusal {
  error: ApiError | null;
  count: number;
}

/** A list being marked read. */
interface SentMark {
  /** False while it waits for a connection. */
  isSent: boolean;
  /** Null when it was undone before it was answered. */
  answer: Promise<MarkAnswer | null>;
  /** False when it has been answered: then the answer says how to undo it. */
  undo(): boolean;
}

interface PendingMark {
  resolve: (answer: MarkAnswer | null) => void;
  reject: (cause: unknown) => void;
}

/**
 * Marks on their way to the server. Each is stored on the device at once; a second later all of them go in one request.
 * What cannot be sent stays, also when the tab is closed, and is sent later.
 */
export class Outbox {
  private readonly client: QueryClient;
  private readonly store: OutboxStore;
  private device: Device;
  /** Oldest first. Those of closed tabs come before our own. */
  private readonly batches: Batch[];
  private readonly marks = new Map<Batch, PendingMark>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private flushing: Promise<void> | null = null;
  /** Those of this visit that may have arrived. */
  private readonly attempted = new WeakSet<Batch>();
  private tries = 0;
  /** Nobody is signed in. */
  private isPaused = false;
  private readonly onRefusal = new Set<(refusal: Refusal) => void>();
  private readonly channel: BroadcastChannel | null;
  private readonly ended = new AbortController();
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
      const mutations = mutationsOf(batch);
      this.show(mutations);
      // Otherwise the counts come with the answer.
      if (isOffline() && !batch.mark?.isUndone) countMutations(client, mutations);
    }
    const { signal } = this.ended;
    this.channel =
      typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(`ruri-outbox-${user}`);
    this.channel?.addEventListener("message", this.onMessage, { signal });
    if (!navigator.locks) this.channel?.postMessage({ taken: left.map((batch) => batch.device) });
    // The server can be down while the network is not.
    signal.addEventListener(
      "abort",
      onConnectionChange(() => isOffline() || this.retry()),
    );
    window.addEventListener("online", () => this.retry(), { signal });
    window.addEventListener("pagehide", () => this.leave(), { signal });
    const onVisibility = () => {
      this.retry();
      if (document.visibilityState === "hidden" && !this.isPaused) void sendPlaces();
    };
    document.addEventListener("visibilitychange", onVisibility, { signal });
    this.count();
    this.retry();
  }

  /** Notifies of marks that were not saved. Returns a function that ends that. */
  onRefused(listener: (refusal: Refusal) => void): () => void {
    this.onRefusal.add(listener);
    return () => this.onRefusal.delete(listener);
  }

  /** Adds mutations; of an item the last one counts. */
  put(mutations: readonly Mutation[]): void {
    if (mutations.length === 0) return;
    let open = this.batches.at(-1);
    for (const mutation of mutations) {
      if (!open || open.isClosed || open.mutations.length >= maxMutations) open = this.begin();
      const old = open.mutations.find((one) => one.id === mutation.id);
      if (old) {
        old.marks = { ...old.marks, ...mutation.marks };
        old.was = { ...mutation.was, ...old.was };
      } else open.mutations.push({ ...mutation });
    }
    for (const batch of this.batches) if (!batch.isClosed) void this.keep(batch);
    this.count();
    this.timer ??= setTimeout(() => void this.flush(), flushAfter);
  }

  /** Marks a list read, after all mutations that were made before. */
  mark(request: MarkReadRequest, touched: Mutation[]): SentMark {
    this.closeOpen();
    const batch = this.begin();
    batch.mark = { request, touched };
    batch.isClosed = true;
    this.show(touched);
    void this.keep(batch);
    this.count();
    const answer = new Promise<MarkAnswer | null>((resolve, reject) => {
      this.marks.set(batch, { resolve, reject });
    });
    void this.flush();
    return {
      isSent: navigator.onLine && !this.isPaused,
      answer,
      undo: () => this.unmark(batch),
    };
  }

  private unmark(batch: Batch): boolean {
    const { mark } = batch;
    if (!mark || !this.batches.includes(batch)) return false;
    if (this.attempted.has(batch)) {
      const touched = mark.touched.map(reversed);
      batch.mark = { ...mark, touched, isUndone: true };
      this.show(touched);
      void this.keep(batch);
    } else {
      this.drop(batch);
      this.settle(mark.touched, () => ({}));
    }
    this.marks.get(batch)?.resolve(null);
    this.marks.delete(batch);
    return true;
  }

  /** Undoes mutations: those in the open batch were never sent and are dropped, the others are reversed. */
  undo(mutations: readonly Mutation[]): void {
    countMutations(this.client, mutations.map(reversed));
    const open = this.batches.at(-1);
    const sent = mutations.filter((one) => !open || open.isClosed || !removeFrom(open, one));
    if (open && open.mutations.length === 0 && !open.isClosed) this.drop(open);
    else if (open) void this.keep(open);
    this.settle(
      mutations.filter((one) => !sent.includes(one)),
      () => ({}),
    );
    const back = sent.map(reversed);
    this.show(back);
    this.put(back);
    this.count();
  }

  /** Sends what is pending; resolves when all is sent or cannot be. */
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

  /** To be called after signing in (again). False when it is another person than the one whose outbox this is. */
  async resume(): Promise<boolean> {
    if ((await currentUser(this.client)) !== this.user) return false;
    // Signing in cleared the marks that were shown.
    this.show(this.batches.flatMap(mutationsOf));
    this.isPaused = false;
    this.retry();
    return true;
  }

  /** Stops; what is pending stays on the device unless `forget` deletes it. */
  end(forget = false): void {
    this.ended.abort();
    clearTimeout(this.timer);
    this.channel?.close();
    this.store.close();
    if (forget) deleteStore(this.user);
    setPendingCount(0);
  }

  get pending(): number {
    const ids = this.batches.flatMap((batch) => batch.mutations.map(({ id }) => id));
    return new Set(ids).size + this.batches.filter((batch) => batch.mark).length;
  }

  private show(mutations: readonly Mutation[]): void {
    for (const { id, was, marks } of mutations) flags.show(id, was, marks);
  }

  private begin(): Batch {
    this.device = { ...this.device, counter: this.device.counter + 1 };
    const batch: Batch = { ...this.device, isClosed: false, mutations: [] };
    this.batches.push(batch);
    return batch;
  }

  private closeOpen(): void {
    const open = this.batches.at(-1);
    if (!open || open.isClosed) return;
    open.isClosed = true;
    if (open.mutations.length > 0) open.notes = takeNotes();
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
    setPendingCount(this.pending, this.user);
  }

  private async drain(): Promise<void> {
    for (let batch = this.batches[0]; batch?.isClosed; batch = this.batches[0]) {
      this.attempted.add(batch);
      try {
        // Nothing is awaited before the request: it may be the last that the page can make.
        const answer = await send(batch, [batch]);
        this.tries = 0;
        const { mark } = batch;
        if (mark?.isUndone && mark.undo === undefined && answer.undo) {
          mark.undo = answer.undo; // the next round sends it
          void this.keep(batch);
        } else this.onAnswer(batch, answer);
      } catch (cause) {
        if (!this.onFailure(batch, toApiError(cause))) return;
      }
    }
  }

  private onAnswer(batch: Batch, answer: Answer): void {
    this.drop(batch);
    const items = new Map(answer.items?.map((item) => [item.id, item]));
    this.settle(mutationsOf(batch), (mutation) => {
      const item = items.get(mutation.id);
      // A marked list is answered without items; an item that no longer exists goes back to what it was.
      if (!item) return batch.mark ? mutation.marks : {};
      return item.error ? {} : { isRead: item.isRead, isStarred: item.isStarred };
    });
    if (answer.noted === false) returnNotes(batch.notes ?? []);
    this.showCounts(answer);
    this.channel?.postMessage({ answer: { ...answer, marked: batch.mark?.touched } });
    // What the server cannot unmark as a whole is unmarked item by item.
    if (batch.mark?.isUndone) {
      const back = new Set(batch.mark.undo === undefined ? [] : answer.feeds.map(({ id }) => id));
      this.put(batch.mark.touched.filter(({ feedId }) => !back.has(feedId)));
      void this.client.invalidateQueries({ queryKey: streamsKey });
    }
    const gone = answer.items?.filter((item) => item.error).length ?? 0;
    if (gone > 0) this.refuse({ error: null, count: gone });
    this.marks.get(batch)?.resolve({ undo: null, ...answer });
    this.marks.delete(batch);
  }

  /** Reports whether the next batch may be sent. */
  private onFailure(batch: Batch, error: ApiError): boolean {
    if (error.status === 401) {
      this.isPaused = true;
      return false;
    }
    if (error.status === 0 || error.status >= 500 || [408, 429].includes(error.status)) {
      const delay = retryDelays[Math.min(this.tries, retryDelays.length - 1)] ?? 60;
      this.tries += 1;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.flush(), (error.retryAfter ?? delay) * 1_000);
      return false;
    }
    this.drop(batch);
    const mutations = mutationsOf(batch);
    if (batch.mark?.undo !== undefined) {
      this.put(mutations); // it was marked, and can no longer be unmarked as a whole
      return true;
    }
    this.settle(mutations, () => ({}));
    void this.client.invalidateQueries({ queryKey: feedsKey });
    const mark = this.marks.get(batch);
    if (mark) mark.reject(error);
    else this.refuse({ error, count: mutations.length });
    this.marks.delete(batch);
    return true;
  }

  private settle(mutations: readonly Mutation[], truth: (mutation: Mutation) => Marks): void {
    const later = this.pendingIds();
    for (const one of mutations) flags.confirm(one.id, truth(one), !later.has(one.id));
  }

  private pendingIds(): ReadonlySet<ItemId> {
    return new Set(this.batches.flatMap((batch) => mutationsOf(batch).map(({ id }) => id)));
  }

  /** Shows the counts of an answer, with what is pending on top of them. */
  private showCounts({ feeds, totals }: Answer): void {
    const unreadByFeed = new Map<string, number>();
    let [unread, starred] = [0, 0];
    const pending = new Map(
      this.batches.flatMap((batch) => batch.mutations.map(({ id, feedId }) => [id, feedId])),
    );
    for (const [id, feedId] of pending) {
      const ahead = flags.ahead(id);
      unreadByFeed.set(feedId, (unreadByFeed.get(feedId) ?? 0) - ahead.read);
      unread -= ahead.read;
      starred += ahead.starred;
    }
    applyCounts(
      this.client,
      feeds.map((one) => {
        const unreadCount = Math.max(0, one.unreadCount + (unreadByFeed.get(one.id) ?? 0));
        return { ...one, unreadCount, hasUnread: unreadCount > 0 };
      }),
      { ...totals, unread: totals.unread + unread, starred: totals.starred + starred },
    );
  }

  private refuse(refusal: Refusal): void {
    for (const listener of this.onRefusal) listener(refusal);
  }

  /** Sends at once what waits for the next attempt. */
  private retry(): void {
    if (this.batches.length === 0) return;
    this.tries = 0;
    void this.flush();
  }

  /**
   * The page is closing. What could not be sent before goes along under the newest number: with a number of its own it
   * might overtake what is on its way, and the server would take that for a repeat.
   */
  private leave(): void {
    if (!this.isPaused) void sendPlaces();
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

  /** From another tab of the same person. */
  private readonly onMessage = ({ data }: MessageEvent): void => {
    const { answer, taken } = data as {
      answer?: Answer & { marked?: Mutation[] };
      taken?: number[];
    };
    if (taken?.includes(this.device.device)) {
      this.closeOpen();
      this.device = newDevice();
    }
    if (!answer) return;
    const pending = this.pendingIds();
    const adopt = (id: ItemId, marks: Marks) =>
      pending.has(id) ? flags.confirm(id, marks, false) : flags.adopt(id, marks);
    for (const { id, isRead, isStarred, error } of answer.items ?? []) {
      if (!error) adopt(id, { isRead, isStarred });
    }
    for (const { id, marks } of answer.marked ?? []) adopt(id, marks);
    this.showCounts(answer);
  };
}

/** Removes a mutation from a batch that was not sent; false when the batch does not have it. */
function removeFrom(batch: Batch, { id, marks, was }: Mutation): boolean {
  const at = batch.mutations.findIndex((one) => one.id === id);
  const one = batch.mutations[at];
  if (!one) return false;
  for (const mark of Object.keys(marks) as (keyof Marks)[]) {
    if (one.was[mark] === was[mark]) delete one.marks[mark];
    else one.marks[mark] = was[mark] as boolean;
  }
  if (Object.keys(one.marks).length === 0) batch.mutations.splice(at, 1);
  return true;
}

function mutationsOf(batch: Batch): readonly Mutation[] {
  return batch.mark ? batch.mark.touched : batch.mutations;
}

/** Opens the outbox of the signed-in user; offline, of the last one. */
export async function startOutbox(client: QueryClient): Promise<Outbox> {
  const user = await currentUser(client);
  const store = user === null ? new MemoryStore() : await openStore(user);
  const device = await claimDevice(store);
  const left = await orphans(store, device.device);
  return new Outbox(client, user ?? "", store, device, left);
}

async function currentUser(client: QueryClient): Promise<string | null> {
  const key = "ruri.user";
  try {
    const { user } = await client.ensureQueryData(meQuery);
    // Pins and notes belong to the person too.
    if ((readStored(key) ?? user.id) !== user.id) {
      setPins([]);
      keepNotes([]);
    }
    writeStored(key, user.id);
    return user.id;
  } catch (cause) {
    if (toApiError(cause).status !== 0) throw cause;
    return readStored(key);
  }
}
