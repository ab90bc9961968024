import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { aFullItem, anItem } from "@/testing/fixtures";
import { memoryStore } from "@/testing/memory-store";
import { type Call, mockServer, problem } from "@/testing/server";

let memory: ReturnType<typeof memoryStore>;
let fill: typeof import("./fill")["fill"];
let isDelayed = () => false;
/** Nobody else holds it, or another tab does. */
let isFree = true;

beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal("requestIdleCallback", (run: () => void) => run());
  memory = memoryStore();
  isFree = true;
  vi.stubGlobal("navigator", {
    onLine: true,
    locks: {
      request: (_: string, __: object, work: (lock: object | null) => Promise<void>) =>
        work(isFree ? {} : null),
    },
  });
  await reload();
});
afterEach(() => vi.useRealTimers());

/** The page anew; the device keeps what it has. */
async function reload(): Promise<void> {
  vi.resetModules();
  vi.doMock("./store", () => memory.module);
  ({ fill } = await import("./fill"));
  const { keepAnswers } = await import("../client");
  const { keepAnswer } = await import("./keeper");
  const { renderHook } = await import("@testing-library/react");
  const { useIsDelayed } = await import("../connection");
  const hook = renderHook(useIsDelayed);
  isDelayed = () => hook.result.current;
  keepAnswers(keepAnswer);
  keepAnswer("/api/me", { user: { id: "u1" } });
  await vi.advanceTimersByTimeAsync(0);
}

/** Fills the copy, and lets two minutes pass. */
async function filled(amount: number): Promise<void> {
  const work = fill(amount, new AbortController().signal).catch(() => undefined);
  await vi.advanceTimersByTimeAsync(2 * 60_000);
  await work;
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => String(from + at));

/** 320 items of which the even ones are unread, and two old ones starred. A batch ends before the item 1007. */
function server({ unread = (id: number) => id % 2 === 0, starred = ["1", "2"] } = {}) {
  const all = range(1000, 1320);
  const lists: Record<string, string[]> = {
    unread: all.filter((id) => unread(Number(id))),
    starred,
  };
  return mockServer({
    "GET /api/items": ({ url }) => {
      const ids = lists[url.searchParams.get("filter") ?? ""] ?? all;
      const from = Number(url.searchParams.get("cursor") ?? 0);
      const until = from + Number(url.searchParams.get("limit"));
      const items = ids.slice(from, until).map((id) => anItem({ id }));
      return { body: { items, nextCursor: until < ids.length ? String(until) : null } };
    },
    "GET /api/items/bodies": ({ url }) => {
      const ids = url.searchParams.get("ids")?.split(",") ?? [];
      const end = ids.indexOf("1007") > 0 ? ids.indexOf("1007") : ids.length;
      const items = ids.slice(0, end).map((id) => aFullItem({ id }));
      return { body: { items, rest: ids.slice(end), missing: [] } };
    },
  });
}

const batches = (calls: Call[]) =>
  calls
    .filter(({ route }) => route === "GET /api/items/bodies")
    .map(({ search }) => new URLSearchParams(search).get("ids")?.split(",") ?? []);
const kept = () => [...memory.kept.items.keys()].map(Number).sort((a, b) => a - b);

test("200 items take six requests, in the background", async () => {
  const { calls } = server({ unread: (id) => id !== 1007, starred: [] });
  await filled(200);
  expect(calls.map(({ search }) => search.replace(/ids=.*/, "ids"))).toEqual([
    "?limit=200&filter=unread",
    "?limit=200&filter=starred",
    ...["?ids", "?ids", "?ids", "?ids"],
  ]);
  expect(batches(calls).map(({ length }) => length)).toEqual([50, 50, 50, 50]);
  expect(calls.map(({ priority }) => priority)).toEqual(Array(6).fill("low"));
  expect(kept()).toHaveLength(200);
});

test("the unread come before others, up to the amount, and all starred beside them", async () => {
  const { calls } = server();
  await filled(50);
  const wanted = range(1000, 1100).filter((id) => Number(id) % 2 === 0);
  expect(batches(calls)).toEqual([wanted, ["1", "2"]]);
  expect(kept()).toEqual(["1", "2", ...wanted].map(Number));
});

test("with room, read ones come too; what is here and unchanged is not asked for again", async () => {
  const { calls } = server({ unread: (id) => id < 1006 && id % 2 === 0 });
  memory.kept.items.set("1000", aFullItem({ id: "1000" }));
  memory.kept.items.set("1001", aFullItem({ id: "1001", updatedAt: "2026-01-01T00:00:00Z" }));
  memory.kept.items.set("5", aFullItem({ id: "5" }));
  await filled(100);
  expect(batches(calls).flat()).not.toContain("1000");
  expect(batches(calls).flat()).toContain("1001");
  expect(kept()).toHaveLength(102);
  expect(kept(), "what nobody wants any more").not.toContain(5);
});

test("what had no room in a batch comes first in the next", async () => {
  const { calls } = server({ unread: (id) => id < 1060 });
  await filled(50);
  expect(batches(calls).map(({ length }) => length)).toEqual([50, 45]);
  expect(batches(calls)[1]?.[0]).toBe("1007");
  expect(kept()).toHaveLength(52);
});

test("less is wanted: the rest goes", async () => {
  server();
  await filled(100);
  await filled(50);
  expect(kept()).toHaveLength(52);
});

test("another amount ends what was begun, and does not wait for the next time", async () => {
  const { calls } = server();
  const first = new AbortController();
  const before = fill(100, first.signal).catch(() => undefined);
  await vi.advanceTimersByTimeAsync(1_000);
  first.abort();
  await filled(50);
  await before;
  expect(batches(calls).flat()).toHaveLength(52);
});

test("while another tab does it, this one does not", async () => {
  const { calls } = server();
  isFree = false;
  await filled(50);
  expect(calls).toEqual([]);
});

test("a reload asks for nothing until the copy is due, and then for lists alone", async () => {
  const { calls } = server();
  await filled(200);
  const first = calls.length;
  await reload();
  await filled(200);
  expect(calls).toHaveLength(first);
  await vi.advanceTimersByTimeAsync(27 * 60_000);
  await filled(200);
  expect(calls.slice(first).map(({ route }) => route)).toEqual(Array(3).fill("GET /api/items"));
});

test("a reload meanwhile goes on with what is not here yet", async () => {
  const { calls } = server({ unread: () => true, starred: [] });
  const left = new AbortController();
  const before = fill(200, left.signal).catch(() => undefined);
  await vi.advanceTimersByTimeAsync(7_000);
  left.abort(); // as the browser does
  await before;
  expect(batches(calls)).toHaveLength(1);
  await reload();
  await filled(200);
  expect(batches(calls), "within a minute").toHaveLength(1);
  await filled(200);
  expect(kept()).toHaveLength(200);
  const asked = batches(calls).map((ids) => ids[0]);
  expect(asked, "each once").toEqual(["1000", "1007", "1057", "1107", "1157"]);
});

test.each([429, 503])("a %d is silent, and its time is kept", async (status) => {
  const { calls } = mockServer({
    "GET /api/items": {
      ...problem(status, "rate_limited", "system"),
      headers: { "Retry-After": "300" },
    },
  });
  await filled(200);
  expect(isDelayed()).toBe(false);
  await reload();
  await filled(200);
  expect(calls).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(60_000);
  await filled(200);
  expect(calls).toHaveLength(2);
});
