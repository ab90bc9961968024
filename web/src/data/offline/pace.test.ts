import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Pace } from "./pace";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("requestIdleCallback", (run: () => void) => run());
});
afterEach(() => vi.useRealTimers());

test("sixty turns in a minute, whoever takes them", async () => {
  const { signal } = new AbortController();
  const [one, other] = [new Pace(signal), new Pace(signal)];
  let turns = 0;
  const work = async (pace: Pace) => {
    for (let i = 0; i < 40; i += 1) {
      await pace.turn();
      turns += 1;
    }
  };
  const done = work(one).then(() => work(other));
  await vi.advanceTimersByTimeAsync(59_000);
  expect(turns).toBe(60);
  await vi.advanceTimersByTimeAsync(2_000);
  await done;
  expect(turns).toBe(80);
});

test("who is told to stop waits for nothing", async () => {
  const stopped = new AbortController();
  const pace = new Pace(stopped.signal);
  const work = (async () => {
    for (;;) await pace.turn();
  })();
  const ended = expect(work).rejects.toThrow();
  await vi.advanceTimersByTimeAsync(1_000);
  stopped.abort();
  await ended;
});
