import { afterEach, expect, it } from "vitest";
import { aFeed, anItem } from "@/testing/fixtures";
import { testClient } from "@/testing/render";
import { mockServer, problem } from "@/testing/server";
import { feedsQuery } from "./feeds";
import { flags } from "./flags";
import { setItemState } from "./item-state";
import { markFeedRead } from "./mark-read";

const totals = { feeds: 1, unread: 4, starred: 0 };

function clientWithFeed() {
  const client = testClient();
  client.setQueryData(feedsQuery.queryKey, {
    feeds: [aFeed({ unreadCount: 5, hasUnread: true })],
    totals: { ...totals, unread: 5 },
    limits: { feeds: 100 },
  });
  return client;
}

afterEach(() => flags.clear());

it("shows at once, takes the counts from the answer", async () => {
  const client = clientWithFeed();
  mockServer({
    "PUT /api/items/100/state": {
      body: {
        item: { id: "100", isRead: true, isStarred: false },
        feed: { id: "1", unreadCount: 4, hasUnread: true },
        totals,
      },
    },
  });
  const done = setItemState(client, anItem(), { isRead: true });
  expect(flags.get("100")?.isRead).toBe(true);
  await done;
  const data = client.getQueryData(feedsQuery.queryKey);
  expect(data?.feeds[0]?.unreadCount).toBe(4);
  expect(data?.totals.unread).toBe(4);
});

it("goes back when refused, and says so to the caller", async () => {
  mockServer({ "PUT /api/items/100/state": problem(503, "storage_unavailable", "system") });
  await expect(setItemState(clientWithFeed(), anItem(), { isStarred: true })).rejects.toMatchObject(
    {
      code: "storage_unavailable",
    },
  );
  expect(flags.get("100")?.isStarred).toBe(false);
});

it("sends the presses on one item in their order", async () => {
  let running = 0;
  const { calls } = mockServer({
    "PUT /api/items/100/state": async ({ body }) => {
      running += 1;
      expect(running).toBe(1);
      await Promise.resolve();
      running -= 1;
      const isStarred = (body as { isStarred: boolean }).isStarred;
      return { body: { item: { id: "100", isRead: false, isStarred }, feed: null, totals } };
    },
  });
  const client = clientWithFeed();
  await Promise.all(
    [true, false, true].map((isStarred) => setItemState(client, anItem(), { isStarred })),
  );
  expect(calls.map((call) => call.body)).toEqual([
    { isStarred: true },
    { isStarred: false },
    { isStarred: true },
  ]);
  expect(flags.get("100")?.isStarred).toBe(true);
});

it("marks a feed up to the newest item shown, and takes it back", async () => {
  const client = clientWithFeed();
  const { calls } = mockServer({
    "POST /api/feeds/1/mark-read": {
      body: { feed: { id: "1", unreadCount: 1, hasUnread: true }, totals, undo: "u1" },
    },
    "POST /api/feeds/1/mark-read/undo": {
      body: { feed: { id: "1", unreadCount: 5, hasUnread: true }, totals, undo: null },
    },
  });
  const shown = [
    anItem({ id: "102" }),
    anItem({ id: "101", isRead: true }),
    anItem({ id: "9", feedId: "2" }),
  ];
  const { marked, undo } = await markFeedRead(client, "1", 5, shown, "102");
  expect(calls[0]?.body).toEqual({ upTo: "102" });
  expect(marked).toBe(4);
  expect([flags.get("102")?.isRead, flags.get("101"), flags.get("9")]).toEqual([
    true,
    undefined,
    undefined,
  ]);
  await undo?.();
  expect(calls[1]?.body).toEqual({ undo: "u1" });
  expect(flags.get("102")?.isRead).toBe(false);
  expect(client.getQueryData(feedsQuery.queryKey)?.feeds[0]?.unreadCount).toBe(5);
});
