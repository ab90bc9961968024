import { expect, it } from "vitest";
import type { Folder } from "@/data/types";
import { aFeed } from "@/testing/fixtures";
import { buildTree, type FolderNode, feedsInOrder, isWithin, nextUnreadFeed } from "./tree";

const folder = (id: string, name: string, parentId: string | null, position: number): Folder => ({
  id,
  name,
  parentId,
  position,
});
const folders = [
  folder("1", "技術", null, 0),
  folder("2", "Web", "1", 0),
  folder("3", "News", null, 1),
  folder("4", "Empty", null, 2),
];
const unread = (n: number) => ({ unreadCount: n, hasUnread: n > 0 });
const feeds = [
  aFeed({ id: "1", title: "あ", folders: ["1", "2"], ...unread(2) }),
  aFeed({ id: "2", title: "Zeta", folders: ["2"], ...unread(3), position: 1 }),
  aFeed({ id: "3", title: "Alpha", folders: [], ...unread(1) }),
  aFeed({ id: "4", title: "Feed 10", folders: ["3"] }),
  aFeed({ id: "5", title: "Feed 9", folders: ["3"] }),
  aFeed({ id: "6", title: "Loud", folders: ["3"], isMuted: true, ...unread(50) }),
  aFeed({ id: "7", title: "Interrupted", folders: ["99"] }),
];
const sketch = (nodes: FolderNode[]): unknown[] =>
  nodes.map((node) => [
    node.folder.name,
    ...sketch(node.folders),
    ...node.feeds.map((feed) => feed.id),
  ]);

it("puts a feed into each of its folders, and one of an unknown folder to the loose ones", () => {
  const tree = buildTree({ folders }, feeds, { sort: "manual", locale: "ja" });
  expect(sketch(tree.folders)).toEqual([
    ["技術", ["Web", "1", "2"], "1"],
    ["News", "5", "4", "6"],
    ["Empty"],
  ]);
  expect(tree.feeds.map((feed) => feed.id)).toEqual(["3", "7"]);
});

it("counts each feed once in a folder, and no muted one", () => {
  const [tech, news] = buildTree({ folders }, feeds, { sort: "manual", locale: "ja" }).folders;
  expect(tech?.unread).toBe(5);
  expect(tech?.folders[0]?.unread).toBe(5);
  expect(news?.unread).toBe(0);
});

it("sorts by name and by what is unread", () => {
  const byName = buildTree({ folders }, feeds, { sort: "name", locale: "en" });
  expect(byName.folders.map((node) => node.folder.name)).toEqual(["Empty", "News", "技術"]);
  const byUnread = buildTree({ folders }, feeds, { sort: "unread", locale: "en" });
  expect(byUnread.folders.map((node) => node.folder.name)).toEqual(["技術", "Empty", "News"]);
  expect(byUnread.folders[0]?.folders[0]?.feeds.map((feed) => feed.id)).toEqual(["2", "1"]);
});

it("hides what is read, but for the feed that is open and folders that are empty", () => {
  const options = { sort: "manual", locale: "ja", hideRead: true } as const;
  expect(sketch(buildTree({ folders }, feeds, options).folders)).toEqual([
    ["技術", ["Web", "1", "2"], "1"],
    ["Empty"],
  ]);
  const open = buildTree({ folders }, feeds, { ...options, open: "4" });
  expect(sketch(open.folders)[1]).toEqual(["News", "4"]);
});

it("goes round to the next feed with unread items", () => {
  const order = feedsInOrder(buildTree({ folders }, feeds, { sort: "manual", locale: "ja" }));
  expect(order.map((feed) => feed.id)).toEqual(["1", "2", "5", "4", "6", "3", "7"]);
  const next = (from: string | null, step: 1 | -1) => nextUnreadFeed(order, from, step)?.id;
  expect(next(null, 1)).toBe("1");
  expect(next("1", 1)).toBe("2");
  expect(next("2", 1)).toBe("3");
  expect(next("3", 1)).toBe("1");
  expect(next(null, -1)).toBe("3");
  expect(nextUnreadFeed([aFeed({ id: "9" })], null, 1)).toBeNull();
  expect(nextUnreadFeed([], null, 1)).toBeNull();
});

it("knows what lies in a folder", () => {
  expect(isWithin(folders, "2", "1")).toBe(true);
  expect(isWithin(folders, "1", "1")).toBe(true);
  expect(isWithin(folders, "1", "2")).toBe(false);
  expect(isWithin(folders, null, "1")).toBe(false);
});
