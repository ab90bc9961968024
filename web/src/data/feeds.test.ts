import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { aFeed } from "@/testing/fixtures";
import { mockServer } from "@/testing/server";
import { keepAnswers } from "./client";
import { feedsQuery, updateFeeds } from "./feeds";
import { meQuery } from "./me";

const limits = { feeds: 100 };
const totals = (unread: number) => ({ feeds: 2, unread, starred: 0 });
const whole = {
  isDelta: false,
  feeds: [aFeed({ id: "2", unreadCount: 5 }), aFeed({ id: "10", unreadCount: 7 })],
  totals: totals(12),
  limits,
  since: "first",
};

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function serve(more: Record<string, unknown>) {
  const client = new QueryClient();
  const { calls } = mockServer({
    "GET /api/feeds": ({ url }) => ({
      body: more[url.searchParams.get("since") ?? ""] ?? whole,
    }),
    "GET /api/me": {
      body: { ...whole, user: { id: "u" }, version: "", preferences: {}, tree: {} },
    },
  });
  const load = () => client.fetchQuery({ ...feedsQuery, staleTime: 0 });
  return { client, calls, load, asked: () => calls.map(({ search }) => search) };
}

const counts = (list: Awaited<ReturnType<ReturnType<typeof serve>["load"]>>) =>
  list.feeds.map(({ id, unreadCount }) => [id, unreadCount]);

it("loads only what changed, on top of what the server said before", async () => {
  const { client, load, asked } = serve({
    first: {
      isDelta: true,
      feeds: [aFeed({ id: "9", unreadCount: 1 }), aFeed({ id: "10", unreadCount: 8 })],
      removed: [],
      totals: totals(14),
      limits,
      since: "second",
    },
    second: { isDelta: true, feeds: [], removed: ["2"], totals: totals(9), limits, since: "third" },
    third: { ...whole, since: "anew" },
  });
  const kept: [string, unknown][] = [];
  keepAnswers((url, answer) => kept.push([url, answer]));
  await load();
  // What is shown before the server has confirmed it is no part of its list.
  updateFeeds(client, (list) => ({ ...list, feeds: [aFeed({ id: "2", unreadCount: 0 })] }));
  const second = await load();
  expect(counts(second)).toEqual([
    ["2", 5],
    ["9", 1],
    ["10", 8],
  ]);
  expect(second.totals.unread).toBe(14);
  expect(kept.at(-1)).toEqual([
    "/api/feeds",
    expect.objectContaining({ feeds: second.feeds, since: "second", isDelta: false }),
  ]);
  expect(counts(await load())).toEqual([
    ["9", 1],
    ["10", 8],
  ]);
  // The server does not know the list any more.
  expect(counts(await load())).toEqual([
    ["2", 5],
    ["10", 7],
  ]);
  expect(asked()).toEqual(["", "?since=first", "?since=second", "?since=third"]);
  await load();
  expect(asked().at(-1)).toBe("?since=anew");
});

it("goes on from the list that the page started with, and loads it whole after an hour", async () => {
  const { client, load, asked } = serve({
    first: { ...whole, isDelta: true, feeds: [], removed: [] },
  });
  await client.fetchQuery(meQuery);
  const list = await load();
  expect(counts(list)).toHaveLength(2);
  vi.advanceTimersByTime(61 * 60_000);
  await load();
  await load();
  expect(asked()).toEqual(["", "?since=first", "", "?since=first"]);
});
