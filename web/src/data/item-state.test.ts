import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { aFeed, anItem } from "@/testing/fixtures";
import { testClient } from "@/testing/render";
import { mockServer, problem } from "@/testing/server";
import { feedsQuery } from "./feeds";
import { flags } from "./flags";
import { closeOutbox, setItemState } from "./item-state";
import { markListRead } from "./mark-read";

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
  const { count, undo } = await markListRead(client, list);
  expect(calls[0]?.body).toEqual({ feed: "1", asOf: "as-of" });
  expect(count).toBe(4);
  expect([flags.get("102")?.isRead, flags.get("101")]).toEqual([true, undefined]);
  expect(counts(), "what came later stays unread").toEqual([1, 1]);
  await undo?.();
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
  const { undo } = await markListRead(client, list, { below: 1 });
  expect(undo, "nothing was unread").toBeNull();
  expect(calls[0]?.body).toEqual({ folder: "9", asOf: "as-of", below: "104", order: "oldest" });
  expect([flags.get("105"), flags.get("104"), flags.get("103")?.isRead]).toEqual([
    undefined,
    undefined,
    true,
  ]);
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
  await undo?.();
  expect(counts()).toEqual([5, 1]);
});
