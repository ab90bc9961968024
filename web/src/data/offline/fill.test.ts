import { beforeEach, expect, test, vi } from "vitest";
import { aFullItem, anItem } from "@/testing/fixtures";
import { memoryStore } from "@/testing/memory-store";
import { mockServer } from "@/testing/server";

let memory: ReturnType<typeof memoryStore>;
let fill: typeof import("./fill")["fill"];
/** Nobody else holds it, or another tab does. */
let isFree = true;

beforeEach(async () => {
  vi.resetModules();
  memory = memoryStore();
  vi.doMock("./store", () => memory.module);
  vi.doMock("./pace", () => ({
    Pace: class {
      signal: AbortSignal;
      constructor(signal: AbortSignal) {
        this.signal = signal;
      }
      async turn() {
        this.signal.throwIfAborted();
      }
    },
  }));
  isFree = true;
  vi.stubGlobal("navigator", {
    onLine: true,
    locks: {
      request: (_: string, __: object, work: (lock: object | null) => Promise<void>) =>
        work(isFree ? {} : null),
    },
  });
  ({ fill } = await import("./fill"));
  const { keepAnswers } = await import("../client");
  const { keepAnswer } = await import("./keeper");
  keepAnswers(keepAnswer);
  keepAnswer("/api/me", { user: { id: "u1" } });
});

const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => String(from + at));

/** Lists of 50 a page: 120 items of which the even ones are unread, two old ones starred. */
function server() {
  const lists: Record<string, string[]> = {
    unread: range(1000, 1120).filter((id) => Number(id) % 2 === 0),
    all: range(1000, 1120),
    starred: ["1", "2"],
  };
  return mockServer({
    "GET /api/items": ({ url }) => {
      const ids = lists[url.searchParams.get("filter") ?? "all"] ?? [];
      const from = Number(url.searchParams.get("cursor") ?? 0);
      const items = ids.slice(from, from + 50).map((id) => anItem({ id }));
      return { body: { items, nextCursor: from + 50 < ids.length ? String(from + 50) : null } };
    },
    ...Object.fromEntries(
      [...range(1000, 1120), "1", "2"].map((id) => [
        `GET /api/items/${id}`,
        { body: { item: aFullItem({ id }) } },
      ]),
    ),
  });
}

const bodies = (calls: { route: string }[]) =>
  calls.flatMap(({ route }) => /GET \/api\/items\/(\d+)$/.exec(route)?.[1] ?? []);
const kept = () => [...memory.kept.items.keys()].map(Number).sort((a, b) => a - b);

test("the unread come before others, up to the amount, and all starred beside them", async () => {
  const { calls } = server();
  await fill(50, new AbortController().signal);
  const wanted = range(1000, 1100).filter((id) => Number(id) % 2 === 0);
  expect(bodies(calls)).toEqual([...wanted, "1", "2"]);
  await vi.waitFor(() => expect(kept()).toEqual(["1", "2", ...wanted].map(Number)));
});

test("with room, read ones come too; what is here and unchanged is not asked for again", async () => {
  const { calls } = server();
  memory.kept.items.set("1000", aFullItem({ id: "1000" }));
  memory.kept.items.set("1001", aFullItem({ id: "1001", updatedAt: "2026-01-01T00:00:00Z" }));
  memory.kept.items.set("5", aFullItem({ id: "5" }));
  await fill(100, new AbortController().signal);
  expect(bodies(calls)).not.toContain("1000");
  expect(bodies(calls)).toContain("1001");
  await vi.waitFor(() => expect(memory.kept.items.size).toBe(102));
  expect(kept(), "what nobody wants any more").not.toContain(5);
});

test("less is wanted: the rest goes", async () => {
  server();
  await fill(100, new AbortController().signal);
  await fill(50, new AbortController().signal);
  await vi.waitFor(() => expect(memory.kept.items.size).toBe(52));
});

test("another amount ends what was begun, and does not wait for the next time", async () => {
  const { calls } = server();
  const first = new AbortController();
  const before = fill(100, first.signal);
  first.abort();
  const after = fill(50, new AbortController().signal);
  await expect(before).resolves.toBeUndefined();
  await after;
  expect(bodies(calls)).toHaveLength(52);
});

test("while another tab does it, this one does not", async () => {
  const { calls } = server();
  isFree = false;
  await fill(50, new AbortController().signal);
  expect(calls).toEqual([]);
});
