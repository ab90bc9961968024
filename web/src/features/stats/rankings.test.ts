import { expect, it } from "vitest";
import { feedTitle } from "@/data/feeds";
import type { Feed, FeedId } from "@/data/types";
import { aFeed } from "@/testing/fixtures";
import { type FeedReading, notRead, rankFeeds, rankFolders } from "./rankings";

const known = (...feeds: Partial<Feed>[]) =>
  new Map(feeds.map((feed) => [feed.id as FeedId, aFeed(feed)]));
const of = (id: string, over: Partial<FeedReading> = {}): FeedReading => ({
  id,
  read: 0,
  cleared: 0,
  starred: 0,
  lastReadOn: null,
  ...over,
});
const now = Date.parse("2026-11-21T09:00:00Z");

it("ranks feeds by what was read, and leaves out what was not touched", () => {
  const ranks = rankFeeds(
    [of("1", { read: 2 }), of("2", { cleared: 9 }), of("3", { read: 5 }), of("4"), of("gone")],
    known({ id: "1", customTitle: "One" }, { id: "2" }, { id: "3" }, { id: "4" }),
    feedTitle,
  );
  expect(ranks.map(({ id, name }) => [id, name])).toEqual([
    ["3", "Example"],
    ["1", "One"],
  ]);
});

it("counts a feed in each of its folders, and those without one together", () => {
  const folders = [
    { id: "1", name: "Tech", parentId: null, isCollapsed: false, feedCount: 2, unreadCount: 0 },
    { id: "2", name: "Ja", parentId: null, isCollapsed: false, feedCount: 1, unreadCount: 0 },
  ];
  const ranks = rankFolders(
    [of("1", { read: 2 }), of("2", { read: 3, starred: 1 }), of("3", { read: 1 })],
    known(
      { id: "1", folders: ["1"] },
      { id: "2", folders: ["1", "2"] },
      { id: "3", folders: ["9"] },
    ),
    folders as unknown as Parameters<typeof rankFolders>[2],
    "outside",
  );
  expect(ranks).toEqual([
    { id: "1", name: "Tech", read: 5, starred: 1 },
    { id: "2", name: "Ja", read: 3, starred: 1 },
    { id: null, name: "outside", read: 1, starred: 0 },
  ]);
});

it("names feeds that nobody read since long, but none that has just come", () => {
  const feeds = known(
    { id: "never" },
    { id: "old" },
    { id: "edge" },
    { id: "today" },
    { id: "new", subscribedAt: "2026-11-20T00:00:00Z" },
  );
  const rows = notRead(
    [
      of("today", { lastReadOn: "2026-11-21" }),
      of("old", { lastReadOn: "2026-10-01" }),
      of("never", { cleared: 40 }),
      of("edge", { lastReadOn: "2026-11-14" }),
      of("new"),
    ],
    feeds,
    7,
    now,
  );
  expect(rows.map(({ feed }) => feed.id)).toEqual(["never", "old"]);
});
