import { beforeEach, expect, test, vi } from "vitest";
import { aBeginning, aFullItem, anItem } from "@/testing/fixtures";
import { memoryStore } from "@/testing/memory-store";

let memory: ReturnType<typeof memoryStore>;
let keeper: typeof import("./keeper");
let flags: typeof import("../flags")["flags"];

// The keeper remembers who reads: each test has one of its own.
beforeEach(async () => {
  vi.resetModules();
  memory = memoryStore();
  vi.doMock("./store", () => memory.module);
  keeper = await import("./keeper");
  ({ flags } = await import("../flags"));
});

const me = (id: string) => ["/api/me", aBeginning({ id })] as const;
const list = (url: string, ...ids: string[]) =>
  [url, { items: ids.map((id) => anItem({ id })) }] as const;
/** Everything that was begun is done. */
const done = () => keeper.keepMarks();
const urls = () => [...memory.kept.answers.keys()];

test("what comes before it is known who reads is kept when it is", async () => {
  keeper.keepAnswer(...list("/api/items?filter=all", "1"));
  await done();
  expect(urls()).toEqual([]);
  const heard = vi.fn();
  keeper.onOwnerConfirmed(heard);
  keeper.keepAnswer(...me("u1"));
  await done();
  expect(urls()).toEqual(["/api/items?filter=all", "/api/me"]);
  expect(memory.kept.owner).toEqual({ user: "u1", isSure: true });
  expect(heard).toHaveBeenCalledOnce();
});

test("searches and figures are not kept", async () => {
  keeper.keepAnswer(...me("u1"));
  keeper.keepAnswer("/api/search?q=rain", { items: [] });
  keeper.keepAnswer("/api/stats", {});
  await done();
  expect(urls()).toEqual(["/api/me"]);
});

test("of another person nothing stays, and nothing that was on its way comes", async () => {
  memory.kept.owner = { user: "u1", isSure: false };
  memory.kept.items.set("1", aFullItem({ id: "1" }));
  keeper.keepAnswer(...list("/api/items?filter=all", "1"));
  keeper.keepAnswer(...me("u2"));
  await done();
  expect(memory.kept.owner).toEqual({ user: "u2", isSure: true });
  expect(memory.kept.items.size).toBe(0);
  expect(urls()).toEqual(["/api/me"]);
});

test("at sign-out all goes, and what still arrives is dropped", async () => {
  keeper.keepAnswer(...me("u1"));
  keeper.keepAnswer("/api/items/1", { item: aFullItem({ id: "1" }) });
  await done();
  expect(memory.kept.items.size).toBe(1);
  const times = { next: 1, due: 2, amount: 50 };
  expect(await keeper.keepTimes(times)).toBe(true);
  await keeper.forgetOfflineCopy();
  keeper.keepAnswer("/api/items/1", { item: aFullItem({ id: "1" }) });
  expect(await keeper.keepTimes(times)).toBe(false);
  await done();
  expect(memory.kept.items.size).toBe(0);
  expect(memory.kept.times).toBeUndefined();
  expect(memory.kept.owner).toBeUndefined();
});

test("a batch is kept item by item", async () => {
  keeper.keepAnswer(...me("u1"));
  const items = ["1", "2"].map((id) => aFullItem({ id }));
  keeper.keepAnswer("/api/items/bodies?ids=1,2,3", { items, rest: [], missing: ["3"] });
  await done();
  expect([...memory.kept.items.keys()]).toEqual(["1", "2"]);
  expect(urls()).toEqual(["/api/me"]);
});

test("who wants nothing kept has nothing kept, until they want it again", async () => {
  keeper.keepAnswer(...me("u1"));
  await done();
  expect(await keeper.enableOfflineCopy(false)).toBe(false);
  expect(urls()).toEqual([]);
  keeper.keepAnswer(...me("u1"));
  await done();
  expect(urls()).toEqual([]);
  expect(await keeper.enableOfflineCopy(true), "it is to be asked who reads").toBe(true);
  expect(await keeper.enableOfflineCopy(true)).toBe(false);
  keeper.keepAnswer(...me("u1"));
  await done();
  expect(urls()).toEqual(["/api/me"]);
});

test("only the wanted bodies stay, and of the lists the newest", async () => {
  keeper.keepAnswer(...me("u1"));
  for (const id of ["1", "2"]) {
    keeper.keepAnswer(`/api/items/${id}`, { item: aFullItem({ id }) });
  }
  await done();
  for (let at = 0; at < 130; at += 1) {
    const [url, body] = list(`/api/items?folder=${at}`, "1");
    memory.kept.answers.set(url, { url, body, at });
  }
  await keeper.prune(new Set(["2"]));
  expect([...memory.kept.items.keys()]).toEqual(["2"]);
  const lists = urls().filter((url) => url !== "/api/me");
  expect(lists).toHaveLength(120);
  expect(lists).not.toContain("/api/items?folder=9");
  expect(lists).toContain("/api/items?folder=10");
});

test("marks are seen in lists and bodies as they were left", async () => {
  keeper.keepAnswer(...me("u1"));
  keeper.keepAnswer("/api/items/1", { item: aFullItem({ id: "1" }) });
  keeper.keepAnswer(...list("/api/items?filter=all", "1", "2"));
  const was = { isRead: false, isStarred: false };
  flags.show("1", was, { isRead: true, isStarred: true });
  await keeper.keepMarks();
  expect(memory.kept.items.get("1")).toMatchObject({ isRead: true, isStarred: true });
  const body = memory.kept.answers.get("/api/items?filter=all")?.body as { items: unknown[] };
  expect(body.items).toMatchObject([{ isRead: true }, { isRead: false }]);
});
