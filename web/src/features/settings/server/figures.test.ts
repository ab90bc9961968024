import { describe, expect, it } from "vitest";
import { dayLabel, levelOf, niceTop, seconds } from "./figures";

describe("niceTop", () => {
  it.each([
    [0, 4],
    [3, 4],
    [5, 5],
    [7, 8],
    [97, 100],
    [101, 200],
    [640, 800],
    [700, 800],
    [3780, 4000],
    [1_000_000, 1_000_000],
  ])("%d ends at %d", (value, top) => expect(niceTop(value)).toBe(top));

  it("is never below the value, and not far above", () => {
    for (let value = 5; value < 1e6; value = Math.ceil(value * 1.07)) {
      const top = niceTop(value);
      expect(top).toBeGreaterThanOrEqual(value);
      expect(top).toBeLessThanOrEqual(2 * value);
    }
  });
});

it("names days of UTC, whatever zone the machine is in", () => {
  expect(dayLabel("2026-11-21", "en")).toBe("11/21");
  expect(dayLabel("2026-11-21", "ja")).toBe("11/21");
  expect(dayLabel("2026-11-21", "en", true)).toContain("Sat");
});

it.each([
  [0, 700, "ok"],
  [559, 700, "ok"],
  [560, 700, "warn"],
  [700, 700, "warn"],
  [700.5, 700, "err"],
] as const)("%d of %d is %s", (spent, budget, level) => expect(levelOf(spent, budget)).toBe(level));

it("gives short times a digit more", () => {
  expect(seconds(940, "en")).toBe("0.9s");
  expect(seconds(61_400, "en")).toBe("61s");
});
