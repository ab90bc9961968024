import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  adoptStopped,
  answerPlaces,
  forgetStopped,
  placesToSend,
  saveStopped,
  stop,
  stoppedAt,
  unsentPlaces,
  useBegun,
} from "./stopped";

const noon = Date.parse("2026-11-28T12:00:00Z");
const at = (minutes: number) => new Date(noon + minutes * 60_000).toISOString();

beforeEach(() => {
  vi.useFakeTimers({ now: noon });
  forgetStopped();
});
afterEach(() => vi.useRealTimers());

it("keeps places on the device", () => {
  stop("1", { part: 0.4 });
  vi.advanceTimersByTime(1_000);
  stop("1", { seconds: 90 });
  saveStopped();
  const stored = JSON.parse(localStorage.getItem("ruri.stopped") ?? "{}");
  expect(stored.places["1"]).toEqual({ part: 0.4, seconds: 90, at: noon + 1_000 });
  forgetStopped();
  expect(localStorage.getItem("ruri.stopped")).toBeNull();
});

it("takes the newer place of each item over, and forgets those of another person", () => {
  adoptStopped([], "7");
  stop("1", { part: 0.4 });
  adoptStopped([
    { id: "1", at: at(-1), part: 0.9, seconds: 0 },
    { id: "2", at: at(-2), part: 0.5, seconds: 3 },
  ]);
  expect(stoppedAt("1")?.part).toBe(0.4);
  expect(stoppedAt("2")).toMatchObject({ part: 0.5, seconds: 3 });
  adoptStopped([{ id: "1", at: at(1), part: 0.8, seconds: 0 }]);
  expect(stoppedAt("1")?.part).toBe(0.8);
  adoptStopped([{ id: "3", at: at(1), part: 0.1, seconds: 0 }], "8");
  expect(stoppedAt("1")).toBeUndefined();
  expect(stoppedAt("3")?.part).toBe(0.1);
});

it("has the newest two hundred", () => {
  for (let i = 0; i < 250; i += 1) {
    vi.advanceTimersByTime(10);
    stop(`${i}`, { part: 0.5 });
  }
  expect(stoppedAt("49")).toBeUndefined();
  expect(stoppedAt("50")?.part).toBe(0.5);
});

it("sends what the server does not have, along with others at most every five minutes", () => {
  adoptStopped([{ id: "2", at: at(-2), part: 0.5, seconds: 0 }]);
  stop("1", { part: 0.4 });
  const first = placesToSend();
  expect(first).toEqual([{ id: "1", at: "2026-11-28T12:00:00Z", part: 0.4, seconds: 0 }]);
  answerPlaces({ places: [], placesStored: false });
  expect(placesToSend()).toEqual(first);
  answerPlaces({ places: first, placesStored: true });
  expect(unsentPlaces()).toEqual([]);
  vi.advanceTimersByTime(60_000);
  stop("1", { part: 0.6 });
  expect(placesToSend()).toEqual([]);
  expect(unsentPlaces()).toHaveLength(1);
  vi.advanceTimersByTime(300_000);
  expect(placesToSend()).toHaveLength(1);
});

it("says how much is read of what is begun and not finished", () => {
  const { result } = renderHook(() => useBegun("1"));
  expect(result.current).toBe(0);
  act(() => stop("1", { part: 0.624 }));
  expect(result.current).toBe(62);
  act(() => stop("1", { part: 0.98 }));
  expect(result.current).toBe(0);
});
