import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { memoryStore } from "@/testing/memory-store";
import { mockServer, problem } from "@/testing/server";

let memory: ReturnType<typeof memoryStore>;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("requestIdleCallback", (run: () => void) => run());
  memory = memoryStore();
});
afterEach(() => vi.useRealTimers());

/** A tab, or one after a reload: it shares with others only what the device stores. */
async function tab() {
  vi.resetModules();
  vi.doMock("./store", () => memory.module);
  const { keepAnswer } = await import("./keeper");
  const { Pace } = await import("./pace");
  const { api } = await import("../client");
  const { ApiError } = await import("../api-error");
  keepAnswer("/api/me", { user: { id: "u1" } });
  await vi.advanceTimersByTimeAsync(0);
  const { signal } = new AbortController();
  return { Pace, api, ApiError, start: (amount = 200) => Pace.start(amount, signal) };
}

/** When turns were taken, in seconds. */
async function turns(pace: { turn(): Promise<void> } | null, n: number): Promise<number[]> {
  const times: number[] = [];
  const from = Date.now();
  const work = (async () => {
    for (let i = 0; i < n; i += 1) {
      await pace?.turn();
      times.push((Date.now() - from) / 1000);
    }
  })();
  await vi.advanceTimersByTimeAsync(60_000);
  await work;
  return times;
}

test("turns are three seconds apart, also those of a tab opened meanwhile", async () => {
  const pace = await (await tab()).start();
  expect(await turns(pace, 3)).toEqual([0, 3, 6]);
  await pace?.turn();
  const other = await (await tab()).start(50);
  expect(await turns(other, 2)).toEqual([3, 6]);
});

test("a reload during a filling asks for nothing for a minute, then the filling goes on", async () => {
  await (await (await tab()).start())?.turn();
  expect(await (await tab()).start()).toBeNull();
  await vi.advanceTimersByTimeAsync(59_000);
  expect(await (await tab()).start()).toBeNull();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await (await tab()).start()).not.toBeNull();
});

test("a filled copy is filled again after half an hour, or at once with another amount", async () => {
  const pace = await (await tab()).start();
  await pace?.turn();
  await pace?.done();
  await vi.advanceTimersByTimeAsync(29 * 60_000);
  expect(await (await tab()).start()).toBeNull();
  expect(await (await tab()).start(500)).not.toBeNull();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await (await tab()).start()).not.toBeNull();
});

test("what the server asks for holds in every tab, for any amount", async () => {
  for (const status of [429, 503]) {
    const one = await tab();
    const pace = await one.start();
    await pace?.failed(new one.ApiError(status, {}, null, 240));
    await vi.advanceTimersByTimeAsync(236_000);
    expect(await (await tab()).start()).toBeNull();
    expect(await (await tab()).start(50)).toBeNull();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await (await tab()).start()).not.toBeNull();
  }
});

test("after another error of the server five minutes; being offline changes nothing", async () => {
  const one = await tab();
  const pace = await one.start();
  await pace?.failed(new one.ApiError(0, {}));
  expect(await (await tab()).start()).not.toBeNull();
  await pace?.failed(new one.ApiError(500, {}));
  await vi.advanceTimersByTimeAsync(299_000);
  expect(await (await tab()).start()).toBeNull();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await (await tab()).start()).not.toBeNull();
});

test("a time far ahead is that of a wrong clock", async () => {
  const day = Date.now() + 24 * 60 * 60_000;
  memory.kept.times = { next: day, due: day, amount: 200 };
  const pace = await (await tab()).start();
  expect(pace).not.toBeNull();
  expect(await turns(pace, 1)).toEqual([0]);
});

test("a turn waits until nobody waits for an answer, nor for a 429 to pass", async () => {
  const { api, start } = await tab();
  let answers = 0;
  mockServer({
    "GET /api/labels": () => {
      answers += 1;
      if (answers > 1) return { body: { labels: [] } };
      return { ...problem(429, "rate_limited", "system"), headers: { "Retry-After": "7" } };
    },
  });
  const pace = await start();
  const labels = api.get("/api/labels");
  expect((await turns(pace, 1))[0]).toBeGreaterThanOrEqual(7);
  await labels;
});

test("where nothing can be stored nothing is asked for", async () => {
  const { start } = await tab();
  memory.module.store.setTimes = () => Promise.reject(new Error("forbidden"));
  const pace = await start();
  await expect(pace?.turn()).rejects.toThrow("stored");
});

test("who is told to stop waits for nothing", async () => {
  const { Pace } = await tab();
  const stopped = new AbortController();
  const pace = await Pace.start(200, stopped.signal);
  const work = (async () => {
    for (;;) await pace?.turn();
  })();
  const ended = expect(work).rejects.toThrow();
  await vi.advanceTimersByTimeAsync(10_000);
  stopped.abort();
  await ended;
});
