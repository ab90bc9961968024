import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { aFeed } from "@/testing/fixtures";
import { testClient } from "@/testing/render";
import { mockServer, problem } from "@/testing/server";
import { feedsQuery } from "../feeds";
import { flags } from "../flags";
import type { Mutation } from "../mark-mutation";
import { note, readNotes } from "../notes";
import { setSettings } from "../settings";
import { Outbox, type Refusal } from "./outbox";
import { takeNotes } from "./outbox-notes";
import { changesOf } from "./outbox-request";
import { type Batch, MemoryStore } from "./outbox-store";

const totals = { feeds: 1, unread: 4, starred: 0 };
const path = "POST /api/items/state";

function aMutation(id: string, marks: Mutation["marks"]): Mutation {
  const was = { isRead: false, isStarred: false };
  flags.show(id, was, marks);
  return { id, feedId: "1", marks, was };
}

function answer(items: { id: string; isRead?: boolean; isStarred?: boolean; error?: string }[]) {
  return {
    body: {
      items: items.map((one) => ({
        isRead: false,
        isStarred: false,
        labels: [],
        error: null,
        ...one,
      })),
      feeds: [{ id: "1", unreadCount: 4, hasUnread: true, lastReadAt: null }],
      totals,
      undo: null,
    },
  };
}

/** A server that takes everything, and remembers the batches as ours does. */
function takingServer() {
  const seen = new Set<string>();
  const applied: unknown[] = [];
  const server = mockServer({
    [path]: ({ body }) => {
      const { batch, changes } = body as {
        batch: { device: number; counter: number };
        changes: { ids: string[]; isRead?: boolean; isStarred?: boolean }[];
      };
      const name = `${batch.device} ${batch.counter}`;
      if (!seen.has(name)) applied.push(...changes);
      seen.add(name);
      return answer(changes.flatMap(({ ids, ...marks }) => ids.map((id) => ({ id, ...marks }))));
    },
  });
  return { ...server, applied };
}

let made: Outbox[] = [];
let store: MemoryStore;

function anOutbox(left: Batch[] = []) {
  const client = testClient();
  client.setQueryData(feedsQuery.queryKey, {
    feeds: [aFeed({ unreadCount: 5, hasUnread: true })],
    totals: { ...totals, unread: 5 },
    limits: { feeds: 100 },
  });
  const refusals: Refusal[] = [];
  const outbox = new Outbox(client, "1", store, { device: 7, counter: 0 }, left);
  outbox.onRefused((refusal) => refusals.push(refusal));
  made.push(outbox);
  return { outbox, client, refusals };
}

const online = (is: boolean) =>
  Object.defineProperty(navigator, "onLine", { configurable: true, get: () => is });

beforeEach(() => {
  vi.useFakeTimers();
  store = new MemoryStore();
  made = [];
});
afterEach(() => {
  for (const one of made) one.end();
  flags.clear();
  online(true);
  vi.useRealTimers();
});

describe("Outbox", () => {
  it("sends notes along with marks, once, and again what the server had no room for", async () => {
    localStorage.clear();
    const rooms = [true, false, true];
    const { calls } = mockServer({
      [path]: ({ body }) => {
        const noted = (body as { notes?: unknown }).notes === undefined || rooms.shift();
        return { body: { ...answer([{ id: "1", isRead: true }]).body, noted } };
      },
    });
    const { outbox } = anOutbox();
    const sent = async () => {
      outbox.put([aMutation("1", { isRead: true })]);
      await vi.advanceTimersByTimeAsync(1_000);
      return (calls.at(-1)?.body as { notes?: unknown } | undefined)?.notes;
    };
    note("clicked", "1");
    note("tags", "go");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(calls).toEqual([]); // never alone
    expect(await sent()).toEqual({ clicked: ["1"], tags: ["go"], searched: [] });
    expect(await sent()).toBeUndefined();
    note("searched", "a");
    expect(await sent()).toEqual({ clicked: [], tags: [], searched: ["a"] });
    note("searched", "b");
    expect(await sent()).toEqual({ clicked: [], tags: [], searched: ["a", "b"] });
    expect(await sent()).toBeUndefined();
  });

  it("sends few notes at once, none of last week, and none of a person who wants no counts", async () => {
    localStorage.clear();
    for (let at = 0; at < 60; at += 1) note("clicked", String(100 + at));
    expect(readNotes().map(({ text }) => text)).toHaveLength(50);
    expect(takeNotes().map(({ text }) => text)).toEqual(
      Array.from({ length: 16 }, (_, at) => String(110 + at)),
    );
    await vi.advanceTimersByTimeAsync(7 * 86_400_000);
    note("searched", "x".repeat(500));
    note("searched", "new");
    expect(takeNotes().map(({ text }) => text.length)).toEqual([500]);
    expect(takeNotes().map(({ text }) => text)).toEqual(["new"]);
    await setSettings({ countUse: false });
    note("searched", "secret");
    expect(takeNotes()).toEqual([]);
  });

  it("sends a second later, all that came in one request, the last word for each item", async () => {
    const { calls } = takingServer();
    const { outbox, client } = anOutbox();
    outbox.put([aMutation("1", { isRead: true })]);
    outbox.put([aMutation("2", { isRead: true })]);
    outbox.put([aMutation("1", { isRead: false })]);
    outbox.put([aMutation("3", { isStarred: true })]);
    await vi.advanceTimersByTimeAsync(999);
    expect(calls).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(calls.map((call) => call.body)).toEqual([
      {
        batch: { device: 7, counter: 1 },
        changes: [
          { ids: ["1"], isRead: false },
          { ids: ["2"], isRead: true },
          { ids: ["3"], isStarred: true },
        ],
        undo: false,
      },
    ]);
    expect(outbox.pending).toBe(0);
    expect(await store.all()).toEqual([]);
    expect(client.getQueryData(feedsQuery.queryKey)?.totals.unread).toBe(4);
  });

  it("keeps each mark on the device at once", async () => {
    online(false);
    const { outbox } = anOutbox();
    outbox.put([aMutation("1", { isRead: true })]);
    expect((await store.all()).flatMap((batch) => batch.mutations.map((one) => one.id))).toEqual([
      "1",
    ]);
    expect(localStorage.getItem("ruri.outbox")).toBe("1");
  });

  it("is one request after however long without a connection", async () => {
    const { calls } = takingServer();
    online(false);
    const { outbox } = anOutbox();
    for (let i = 0; i < 30; i += 1) {
      outbox.put([aMutation(String(i), { isRead: true })]);
      await vi.advanceTimersByTimeAsync(400);
    }
    expect(calls).toEqual([]);
    expect(outbox.pending).toBe(30);
    online(true);
    window.dispatchEvent(new Event("online"));
    await vi.advanceTimersByTimeAsync(0);
    expect(calls).toHaveLength(1);
    expect(outbox.pending).toBe(0);
  });

  it("sends what a tab has left under its old number, so that a repeat does nothing", async () => {
    let isLost = true;
    const taking = takingServer();
    const fetchThem = globalThis.fetch;
    vi.stubGlobal("fetch", async (input: string, init: RequestInit) => {
      const response = await fetchThem(input, init);
      // It arrives, and its answer is lost.
      if (isLost) throw new TypeError("network");
      return response;
    });
    const first = anOutbox();
    first.outbox.put([aMutation("1", { isRead: true })]);
    await vi.advanceTimersByTimeAsync(1_000);
    first.outbox.end();
    flags.clear();
    isLost = false;
    const left = await store.all();
    const second = anOutbox(left);
    expect(flags.get("1")?.isRead, "shown before it is sent").toBe(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(taking.calls).toHaveLength(2);
    expect(taking.applied).toEqual([{ ids: ["1"], isRead: true }]);
    expect(second.outbox.pending).toBe(0);
  });

  it("counts what a tab has left, while the server cannot be reached", async () => {
    online(false);
    window.dispatchEvent(new Event("offline"));
    const first = anOutbox();
    first.outbox.put([aMutation("1", { isRead: true, isStarred: true })]);
    first.outbox.end();
    flags.clear();
    const { client } = anOutbox(await store.all());
    expect(client.getQueryData(feedsQuery.queryKey)).toMatchObject({
      totals: { unread: 4, starred: 1 },
      feeds: [{ unreadCount: 4 }],
    });
    online(true);
    window.dispatchEvent(new Event("online"));
  });

  it("never adds to a batch that may have arrived", async () => {
    let isUp = false;
    const { calls } = mockServer({
      [path]: () => (isUp ? answer([{ id: "1", isRead: true }]) : new TypeError("network")),
    });
    const { outbox } = anOutbox();
    outbox.put([aMutation("1", { isRead: true })]);
    await vi.advanceTimersByTimeAsync(1_000);
    outbox.put([aMutation("2", { isRead: true })]);
    isUp = true;
    await vi.advanceTimersByTimeAsync(5_000);
    const bodies = calls.map(
      (call) => call.body as { batch: { counter: number }; changes: unknown },
    );
    expect(bodies.map((body) => body.batch.counter)).toEqual([1, 1, 2]);
    expect(bodies[1]).toEqual(bodies[0]);
  });

  it("puts back what is refused, says why, and keeps the rest", async () => {
    let answers = 0;
    mockServer({
      [path]: () => {
        answers += 1;
        return answers === 1
          ? problem(400, "bad_item", "validation")
          : answer([{ id: "2", isRead: true }]);
      },
    });
    const { outbox, refusals } = anOutbox();
    outbox.put([aMutation("1", { isRead: true })]);
    await vi.advanceTimersByTimeAsync(1_000);
    outbox.put([aMutation("2", { isRead: true })]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(flags.get("1")?.isRead).toBe(false);
    expect(flags.get("2")?.isRead).toBe(true);
    expect(refusals).toMatchObject([{ error: { code: "bad_item" }, count: 1 }]);
  });

  it("tells of items that are gone, and takes the others", async () => {
    mockServer({
      [path]: answer([
        { id: "1", isRead: true },
        { id: "2", error: "item_not_found" },
      ]),
    });
    const { outbox, refusals } = anOutbox();
    outbox.put([aMutation("1", { isRead: true }), aMutation("2", { isRead: true })]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([flags.get("1")?.isRead, flags.get("2")?.isRead]).toEqual([true, false]);
    expect(refusals).toEqual([{ error: null, count: 1 }]);
  });

  it("keeps everything when the session has ended, and sends it when somebody is back", async () => {
    let isIn = false;
    const { calls } = mockServer({
      [path]: () =>
        isIn ? answer([{ id: "1", isRead: true }]) : problem(401, "not_signed_in", "auth"),
    });
    const { outbox, client, refusals } = anOutbox();
    outbox.put([aMutation("1", { isRead: true })]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls).toHaveLength(1);
    expect([outbox.pending, refusals, (await store.all()).length]).toEqual([1, [], 1]);
    flags.clear();
    isIn = true;
    client.setQueryData(["me"], { user: { id: "1" } });
    expect(await outbox.resume()).toBe(true);
    expect(flags.get("1")?.isRead).toBe(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(outbox.pending).toBe(0);
    client.setQueryData(["me"], { user: { id: "2" } });
    expect(await outbox.resume(), "another person").toBe(false);
  });

  it("waits as long as the server says, and tries again", async () => {
    let answers = 0;
    const { calls } = mockServer({
      [path]: () => {
        answers += 1;
        return answers === 1
          ? { ...problem(429, "too_many", "system"), headers: { "Retry-After": "20" } }
          : answer([{ id: "1", isRead: true }]);
      },
    });
    const { outbox } = anOutbox();
    outbox.put([aMutation("1", { isRead: true })]);
    await vi.advanceTimersByTimeAsync(20_900);
    expect(calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(calls).toHaveLength(2);
  });

  it("sends at once what waits when the page goes", async () => {
    const { calls } = takingServer();
    const { outbox } = anOutbox();
    outbox.put([aMutation("1", { isRead: true })]);
    window.dispatchEvent(new Event("pagehide"));
    // Before anything else of the page could run.
    expect(calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(calls).toHaveLength(1);
  });

  it("shows the counts of the answer and what has been marked since", async () => {
    let release = () => {};
    mockServer({
      [path]: () =>
        new Promise((resolve) => {
          release = () => resolve(answer([{ id: "1", isRead: true }]));
        }),
    });
    const { outbox, client } = anOutbox();
    outbox.put([aMutation("1", { isRead: true })]);
    await vi.advanceTimersByTimeAsync(1_000);
    outbox.put([aMutation("2", { isRead: true })]);
    release();
    await vi.advanceTimersByTimeAsync(0);
    expect(client.getQueryData(feedsQuery.queryKey)?.feeds[0]?.unreadCount).toBe(3);
    expect(client.getQueryData(feedsQuery.queryKey)?.totals.unread).toBe(3);
  });

  it("marks a list after what was marked before it, and takes back what was not sent yet", async () => {
    const { calls } = mockServer({
      [path]: answer([{ id: "1", isRead: false }]),
      "POST /api/items/mark-read": {
        body: {
          feeds: [{ id: "1", unreadCount: 0, hasUnread: false, lastReadAt: null }],
          totals,
          undo: "token",
        },
      },
    });
    const { outbox } = anOutbox();
    outbox.put([aMutation("1", { isRead: false })]);
    const touched = [aMutation("2", { isRead: true })];
    const sent = outbox.mark({ feed: "1", asOf: "x" }, touched);
    expect(await sent.answer).toMatchObject({ undo: "token" });
    expect(calls.map((call) => call.route)).toEqual([path, "POST /api/items/mark-read"]);
    expect(flags.get("2")?.isRead).toBe(true);

    online(false);
    const waiting = outbox.mark({ feed: "1" }, [aMutation("3", { isRead: true })]);
    expect(waiting.isSent).toBe(false);
    expect(waiting.undo()).toBe(true);
    expect(await waiting.answer).toBeNull();
    expect(flags.get("3")?.isRead).toBe(false);
    expect(outbox.pending).toBe(0);
  });
});

it("groups items that are to become the same", () => {
  const marks = { isRead: true };
  expect(
    changesOf([
      { id: "1", feedId: "1", marks, was: {} },
      { id: "2", feedId: "1", marks: { isStarred: true }, was: {} },
      { id: "3", feedId: "2", marks, was: {} },
    ]),
  ).toEqual([
    { ids: ["1", "3"], isRead: true },
    { ids: ["2"], isStarred: true },
  ]);
});
