import { beforeEach, expect, test, vi } from "vitest";
import { aBeginning, aFeed, aFullItem, anItem } from "@/testing/fixtures";
import { memoryStore } from "@/testing/memory-store";
import type { Item } from "../types";

let memory: ReturnType<typeof memoryStore>;
let keptAnswer: typeof import("./answers")["keptAnswer"];

const tree = {
  folders: [
    { id: "f1", name: "Tech", parentId: null },
    { id: "f2", name: "Go", parentId: "f1" },
  ],
  labels: [{ id: "l1", name: "Later" }],
};

beforeEach(async () => {
  vi.resetModules();
  memory = memoryStore();
  vi.doMock("./store", () => memory.module);
  ({ keptAnswer } = await import("./answers"));
  memory.kept.owner = { user: "u1", isSure: true };
  const feeds = [aFeed({ id: "1", folders: ["f2"] }), aFeed({ id: "2", folders: [] })];
  put("/api/me", { ...aBeginning(), feeds, tree }, 1);
  for (const [at, over] of (
    [
      { feedId: "1", isRead: true },
      { feedId: "2", isStarred: true },
      { feedId: "1", labels: ["l1"] },
    ] as Partial<Item>[]
  ).entries()) {
    const id = String(at + 1);
    memory.kept.items.set(
      id,
      aFullItem({ id, publishedAt: `2026-11-0${at + 1}T00:00:00Z`, ...over }),
    );
  }
});

function put(url: string, body: unknown, at: number): void {
  memory.kept.answers.set(url, { url, body, at });
}

async function ids(url: string): Promise<string[] | undefined> {
  const page = (await keptAnswer(url)) as { items: { id: string }[] } | undefined;
  return page?.items.map(({ id }) => id);
}

test("an item is there with its body, or it is not", async () => {
  expect(await keptAnswer("/api/items/2")).toMatchObject({ item: { id: "2" } });
  expect(await keptAnswer("/api/items/9")).toBeUndefined();
});

test.each([
  ["/api/items?filter=all", ["3", "2", "1"]],
  ["/api/items?filter=all&order=oldest", ["1", "2", "3"]],
  ["/api/items?filter=unread", ["3", "2"]],
  ["/api/items?filter=starred", ["2"]],
  ["/api/items?folder=f1&filter=all", ["3", "1"]],
  ["/api/items?label=l1&filter=all", ["3"]],
  ["/api/feeds/2/items?filter=all", ["2"]],
])("a list that was never asked for is made of what is here: %s", async (url, wanted) => {
  expect(await ids(url)).toEqual(wanted);
});

test("items of the same time stand by their ids, as the server has them", async () => {
  const publishedAt = "2026-11-09T00:00:00Z";
  for (const id of ["100", "20", "99"])
    memory.kept.items.set(id, aFullItem({ id, publishedAt, isDateEstimated: true }));
  expect(await ids("/api/items?filter=all")).toEqual(["100", "99", "20", "3", "2", "1"]);
  expect(await ids("/api/items?filter=all&order=oldest")).toEqual([
    "1",
    "2",
    "3",
    "20",
    "99",
    "100",
  ]);
});

/** An item of a list, of which no body was kept. */
const listed = (id: string, day: number, over: Partial<Item> = {}) =>
  anItem({ id, publishedAt: `2026-11-0${day}T00:00:00Z`, ...over });

test("a list that was asked for has what came elsewhere since, and its own place goes on where it did", async () => {
  const items = [listed("8", 5), listed("5", 1), listed("1", 1, { feedId: "2", isRead: true })];
  put("/api/items", { items, nextCursor: null, asOf: "a" }, 2);
  put("/api/feeds/1/items", { items: [listed("7", 2)], nextCursor: "c", asOf: "b" }, 1);
  expect(await ids("/api/items")).toEqual(["8", "3", "7", "2", "5", "1"]);
  // The rest is not here: the list ends with what is.
  expect(await keptAnswer("/api/feeds/1/items")).toMatchObject({
    items: [{ id: "8" }, { id: "3" }, { id: "7" }, { id: "5" }],
    nextCursor: null,
    asOf: "b",
  });
  // What comes with its next page is left to that.
  put("/api/feeds/1/items?cursor=c", { items: [listed("6", 1)], nextCursor: null, asOf: "b" }, 1);
  expect(await keptAnswer("/api/feeds/1/items")).toMatchObject({
    items: [{ id: "8" }, { id: "3" }, { id: "7" }],
    nextCursor: "c",
    asOf: "b",
  });
});

test("a feed that was never opened is made of other lists too; an empty answer does not hide them", async () => {
  const items = [listed("8", 5, { feedId: "5" }), listed("9", 4, { feedId: "5", isRead: true })];
  put("/api/items?filter=all", { items, nextCursor: "x", asOf: "" }, 2);
  expect(await ids("/api/feeds/5/items?filter=all")).toEqual(["8", "9"]);
  expect(await ids("/api/feeds/5/items?filter=unread")).toEqual(["8"]);
  put("/api/feeds/5/items?filter=all", { items: [], nextCursor: null, asOf: "" }, 1);
  expect(await ids("/api/feeds/5/items?filter=all")).toEqual(["8", "9"]);
});

test("stars and labels stand in the order in which they came there", async () => {
  const items = [listed("2", 2, { isStarred: true }), listed("8", 5, { isStarred: true })];
  put("/api/items?filter=starred", { items, nextCursor: null, asOf: "" }, 2);
  expect(await ids("/api/items?filter=starred")).toEqual(["2", "8"]);
});

test("a list that was loaded with pages of another size keeps its order; other stars come after it", async () => {
  const items = [listed("2", 2, { isStarred: true }), listed("8", 5, { isStarred: true })];
  put("/api/items?limit=200&filter=starred", { items, nextCursor: null, asOf: "" }, 2);
  put("/api/items?limit=20", { items: [listed("9", 9, { isStarred: true })], nextCursor: "x" }, 1);
  expect(await ids("/api/items?limit=50&filter=starred")).toEqual(["2", "8", "9"]);
  expect(await ids("/api/items?limit=50")).toEqual(["9", "8", "3", "2", "1"]);
});

test("what a rule hid stands in its own list alone, and muted feeds not among all", async () => {
  const items = [listed("8", 5, { isHidden: true }), listed("9", 4, { feedId: "3" })];
  put("/api/items?filter=hidden", { items, nextCursor: null, asOf: "" }, 2);
  const feeds = [aFeed({ id: "1" }), aFeed({ id: "3", isMuted: true, folders: ["f2"] })];
  put("/api/me", { ...aBeginning(), feeds, tree }, 3);
  expect(await ids("/api/items?filter=all")).toEqual(["3", "2", "1"]);
  expect(await ids("/api/items?folder=f2&filter=all")).toEqual(["9"]);
});

test("what follows a page is not made up, nor a list of which nothing is known", async () => {
  expect(await keptAnswer("/api/items?filter=all&cursor=x")).toBeUndefined();
  expect(await keptAnswer("/api/feeds/5/items?filter=all")).toBeUndefined();
});

test("the side bar is the newest of what was answered of its parts", async () => {
  put("/api/folders", { folders: [] }, 2);
  put("/api/searches", { searches: [{ id: "7", name: "Rain" }] }, 2);
  put("/api/feeds", { feeds: [], totals: { unread: 9 } }, 0);
  expect(await keptAnswer("/api/me")).toMatchObject({
    feeds: [{ id: "1" }, { id: "2" }],
    tree: { folders: [], labels: tree.labels },
    searches: [{ id: "7", name: "Rain" }],
  });
  expect(await keptAnswer("/api/labels")).toEqual({ labels: tree.labels });
  expect(await keptAnswer("/api/searches")).toEqual({ searches: [{ id: "7", name: "Rain" }] });
});

test("nothing is told while it is not known who reads", async () => {
  memory.kept.owner = { user: "u1", isSure: false };
  expect(await keptAnswer("/api/items/2")).toBeUndefined();
  expect(await keptAnswer("/api/me")).toBeUndefined();
  expect(await keptAnswer("/api/search?q=x")).toBeUndefined();
});

test("a saved search is what it was when it was last opened, and other items are not added", async () => {
  const items = [anItem({ id: "2" }), anItem({ id: "77" })];
  put("/api/searches/7/items?limit=50&tz=540", { items, nextCursor: "more" }, 2);
  expect(await ids("/api/searches/7/items?limit=50&tz=540")).toEqual(["2", "77"]);
  expect(await keptAnswer("/api/searches/7/items?limit=50&tz=540")).toMatchObject({
    nextCursor: null,
  });
  expect(await ids("/api/searches/7/items?limit=100&tz=540"), "in another size").toEqual([
    "2",
    "77",
  ]);
  expect(await ids("/api/searches/8/items?limit=50&tz=540")).toBeUndefined();
});

test("a search that is not saved, and what came since, are not kept", async () => {
  const { kindOf } = await import("./kinds");
  expect(kindOf("/api/search?q=tea")).toBeNull();
  expect(kindOf("/api/searches/7/items?limit=50&since=x&tz=0")).toBeNull();
  expect(kindOf("/api/searches/7/items?limit=50&tz=0")).toBe("list");
});
