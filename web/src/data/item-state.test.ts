import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { aFeed, anItem } from "@/testing/fixtures";
import { testClient } from "@/testing/render";
import { mockServer, problem } from "@/testing/server";
import { feedsQuery } from "./feeds";
import { flags } from "./flags";
import { closeOutbox, setItemState } from "./item-state";
import { markListRead } from "./mutations/mark-read";
import type { Stream } from "./routes";
import { streamQuery } from "./stream";
import type { ItemSummary } from "./types";

const totals = { feeds: 2, unread: 4, starred: 0 };

function clientWithFeeds() {
  const client = testClient();
  client.setQueryData(["me"], { user: { id: "1" } });
  client.setQueryData(feedsQuery.queryKey, {
    feeds: [
      aFeed({ unreadCount: 5, hasUnread: true }),
      aFeed({ id: "2", unreadCount: 1, hasUnread: true }),
    ],
    totals: { ...totals, unread: 6 },
    limits: { feeds: 100 },
  });
  const counts = () =>
    client.getQueryData(feedsQuery.queryKey)?.feeds.map((feed) => feed.unreadCount);
  return { client, counts };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(async () => {
  await closeOutbox(true);
  flags.clear();
  vi.useRealTimers();
});

it("shows a mark and its counts at once, and sends it later", async () => {
  const { client, counts } = clientWithFeeds();
  const { calls } = mockServer({
    "POST /api/items/state": {
      body: {
        items: [{ id: "100", isRead: true, isStarred: false, labels: [], error: null }],
        feeds: [{ id: "1", unreadCount: 3, hasUnread: true, lastReadAt: null }],
        totals,
        undo: null,
      },
    },
  });
  expect(setItemState(client, anItem(), { isRead: true })).toBe(true);
  expect(setItemState(client, anItem(), { isRead: true }), "read already").toBe(false);
  expect(flags.get("100")?.isRead).toBe(true);
  expect(counts()).toEqual([4, 1]);
  expect(calls).toEqual([]);
  await vi.waitFor(() => expect(localStorage.getItem("ruri.outbox")).toBe("1"));
  await vi.advanceTimersByTimeAsync(1_000);
  await vi.waitFor(() => expect(counts(), "as the server says").toEqual([3, 1]));
});

it("reads the same story of other feeds with it", () => {
  const { client, counts } = clientWithFeeds();
  mockServer({ "POST /api/items/state": problem(503, "storage_unavailable", "system") });
  const twin = { feedId: "2", itemId: "200", title: "Other", isRead: false };
  setItemState(client, anItem({ alsoIn: [twin] }), { isRead: true });
  expect(flags.get("200")).toEqual({ isRead: true });
  expect(counts()).toEqual([4, 0]);
  setItemState(client, anItem({ alsoIn: [twin] }), { isRead: false });
  expect(counts()).toEqual([5, 1]);
});

it("marks a list as it was shown, and takes it back", async () => {
  const { client, counts } = clientWithFeeds();
  const { calls } = mockServer({
    "POST /api/items/mark-read": {
      body: {
        feeds: [{ id: "1", unreadCount: 1, hasUnread: true, lastReadAt: null }],
        totals,
        undo: "u1",
      },
    },
    "POST /api/undo": {
      body: {
        feeds: [{ id: "1", unreadCount: 5, hasUnread: true, lastReadAt: null }],
        totals,
        undo: null,
      },
    },
  });
  const items = [anItem({ id: "102" }), anItem({ id: "101", isRead: true })];
  const list = {
    stream: { kind: "feed", id: "1" } as const,
    filter: "all" as const,
    order: "new" as const,
    items,
    asOf: "as-of",
  };
  const { count, undo, answer } = await markListRead(client, list);
  expect([count, await answer], "as the page knows, and as the server says").toEqual([5, 4]);
  expect(calls[0]?.body).toEqual({ feed: "1", asOf: "as-of" });
  expect([flags.get("102")?.isRead, flags.get("101")]).toEqual([true, undefined]);
  expect(counts(), "what came later stays unread").toEqual([1, 1]);
  await undo();
  expect(calls[1]?.body).toEqual({ undo: "u1" });
  expect(flags.get("102")?.isRead).toBe(false);
  expect(counts()).toEqual([5, 1]);
});

it("names the item above or below which a list is marked, in its order", async () => {
  const { client } = clientWithFeeds();
  const { calls } = mockServer({
    "POST /api/items/mark-read": { body: { feeds: [], totals, undo: null } },
  });
  const items = ["105", "104", "103"].map((id) => anItem({ id }));
  const list = {
    stream: { kind: "folder", id: "9" } as const,
    filter: "unread" as const,
    order: "old" as const,
    items,
    asOf: "as-of",
  };
  const { answer } = await markListRead(client, list, { below: 1 });
  expect(await answer, "nothing was unread").toBe(0);
  expect(calls[0]?.body).toEqual({ folder: "9", asOf: "as-of", below: "104", order: "oldest" });
  expect([flags.get("105"), flags.get("104"), flags.get("103")?.isRead]).toEqual([
    undefined,
    undefined,
    true,
  ]);
});

it("marks a part of a list by bookmarks item by item", async () => {
  const { client } = clientWithFeeds();
  mockServer({ "POST /api/items/state": problem(503, "storage_unavailable", "system") });
  const list = {
    stream: { kind: "folder", id: "9" } as const,
    filter: "all" as const,
    order: "popular" as const,
    items: ["105", "104", "103"].map((id) => anItem({ id })),
    asOf: "as-of",
  };
  const { count } = await markListRead(client, list, { below: 0 });
  expect([count, flags.get("105"), flags.get("103")?.isRead]).toEqual([2, undefined, true]);
});

it("marks the items that are shown where the list cannot be marked as a whole", async () => {
  const { client, counts } = clientWithFeeds();
  mockServer({ "POST /api/items/state": problem(503, "storage_unavailable", "system") });
  const list = {
    stream: { kind: "starred" } as const,
    filter: "all" as const,
    order: "new" as const,
    items: [anItem({ id: "105", isStarred: true }), anItem({ id: "104", feedId: "2" })],
    asOf: null,
  };
  const { count, undo } = await markListRead(client, list);
  expect([count, counts()]).toEqual([2, [4, 0]]);
  await undo();
  expect(counts()).toEqual([5, 1]);
  expect(localStorage.getItem("ruri.outbox"), "nothing of it was sent").toBeNull();
});

function loaded(client: ReturnType<typeof testClient>, stream: Stream, at: number, ids: string[]) {
  const items = ids.map((id) => anItem({ id, feedId: "2" }));
  client.setQueryData(streamQuery(stream, "all").queryKey, {
    pages: [{ items, nextCursor: null, asOf: null, loadedAt: at }],
    pageParams: [null],
  });
}
const allUnread = { kind: "all" } as const;
const shownList = (items: readonly ItemSummary[]) => ({
  stream: allUnread,
  filter: "unread" as const,
  order: "new" as const,
  items,
  asOf: "as-of",
});

it("shows a mark of all items in every list that is loaded, and takes it back there", async () => {
  const { client, counts } = clientWithFeeds();
  const items = [anItem({ id: "102" })];
  client.setQueryData(streamQuery(allUnread, "unread").queryKey, {
    pages: [{ items, nextCursor: "more", asOf: "as-of", loadedAt: 20 }],
    pageParams: [null],
  });
  loaded(client, { kind: "feed", id: "2" }, 10, ["200"]);
  loaded(client, { kind: "folder", id: "9" }, 30, ["201"]);
  loaded(client, { kind: "folder", id: "10" }, 40, ["202"]);
  const read = () => ["102", "200", "201"].map((id) => flags.get(id)?.isRead);
  const feed = (id: string, unreadCount: number) => ({
    id,
    unreadCount,
    hasUnread: unreadCount > 0,
    lastReadAt: null,
  });
  mockServer({
    "POST /api/items/mark-read": {
      body: { feeds: [feed("1", 0), feed("2", 0)], totals, undo: "u1" },
    },
    "POST /api/undo": { body: { feeds: [feed("1", 5), feed("2", 1)], totals, undo: null } },
  });
  const { count, answer, undo } = await markListRead(client, shownList(items));
  expect([count, counts()], "of every feed").toEqual([6, [0, 0]]);
  expect(read(), "what came later may be new").toEqual([true, true, undefined]);
  flags.show("202", { isRead: true }, { isRead: false }); // by hand, meanwhile
  await answer;
  expect(flags.get("202")?.isRead).toBe(false);
  expect(read(), "the feed has nothing unread").toEqual([true, true, true]);
  await undo();
  expect([read(), counts()]).toEqual([
    [false, false, false],
    [5, 1],
  ]);
});

it("asks anew what is unread in a feed that the server did not have to mark", async () => {
  const { client, counts } = clientWithFeeds();
  mockServer({ "POST /api/items/mark-read": { body: { feeds: [], totals, undo: null } } });
  const { answer } = await markListRead(client, shownList([]));
  expect(counts()).toEqual([0, 0]);
  await answer;
  expect(client.getQueryState(feedsQuery.queryKey)?.isInvalidated).toBe(true);
});

const feedList = {
  stream: { kind: "feed", id: "1" } as const,
  filter: "all" as const,
  order: "new" as const,
  items: [anItem({ id: "102" })],
  asOf: "as-of",
};
const markedAnswer = (undo: string | null) => ({
  body: {
    feeds: [{ id: "1", unreadCount: 0, hasUnread: false, lastReadAt: null }],
    totals,
    undo,
  },
});
const backAnswer = {
  body: {
    feeds: [{ id: "1", unreadCount: 5, hasUnread: true, lastReadAt: null }],
    totals,
    undo: null,
  },
};

it("takes a list back that is on its way, at once for the eye", async () => {
  const { client, counts } = clientWithFeeds();
  let release = () => {};
  const { calls } = mockServer({
    "POST /api/items/mark-read": () =>
      new Promise((resolve) => {
        release = () => resolve(markedAnswer("u1"));
      }),
    "POST /api/undo": backAnswer,
  });
  const seen = () => [flags.get("102")?.isRead, counts()?.[0]];
  const { count, undo, answer } = await markListRead(client, feedList);
  expect([count, ...seen()]).toEqual([5, true, 0]);
  await undo();
  expect(seen()).toEqual([false, 5]);
  expect(await answer, "there is nothing more to say").toBeNull();
  release();
  await vi.waitFor(() => expect(localStorage.getItem("ruri.outbox")).toBeNull());
  expect(calls.map((call) => [call.route, call.body])).toEqual([
    ["POST /api/items/mark-read", { feed: "1", asOf: "as-of" }],
    ["POST /api/undo", { undo: "u1" }],
  ]);
  expect(seen()).toEqual([false, 5]);
});

it("takes a list back that may have arrived, item by item where its answer was lost", async () => {
  const { client, counts } = clientWithFeeds();
  let isUp = false;
  const { calls } = mockServer({
    "POST /api/items/mark-read": () =>
      isUp ? markedAnswer(null) : problem(500, "internal", "system"),
    "POST /api/items/state": {
      body: {
        items: [{ id: "102", isRead: false, isStarred: false, labels: [], error: null }],
        feeds: [{ id: "1", unreadCount: 1, hasUnread: true, lastReadAt: null }],
        totals,
        undo: null,
      },
    },
  });
  const { undo } = await markListRead(client, feedList);
  await vi.waitFor(() => expect(calls).toHaveLength(1));
  await undo();
  expect([flags.get("102")?.isRead, counts()?.[0]]).toEqual([false, 5]);
  isUp = true;
  await vi.waitFor(async () => {
    await vi.advanceTimersByTimeAsync(1_000); // it is tried again after five
    expect(localStorage.getItem("ruri.outbox")).toBeNull();
  });
  expect(calls[2]?.body).toMatchObject({ changes: [{ ids: ["102"], isRead: false }] });
  expect(flags.get("102")?.isRead).toBe(false);
});

it("says what waits for a connection", async () => {
  const { client } = clientWithFeeds();
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  const { isSent, undo } = await markListRead(client, { ...feedList, asOf: null });
  expect(isSent).toBe(false);
  await vi.waitFor(() => expect(localStorage.getItem("ruri.outbox")).toBe("1"));
  await undo();
  expect(localStorage.getItem("ruri.outbox")).toBeNull();
});
