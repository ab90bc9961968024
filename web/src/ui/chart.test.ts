import { describe, expect, it } from "vitest";
import { aDay } from "@/testing/watches";
import {
  amountsOf,
  bandPath,
  dotPath,
  labelledDays,
  pricePath,
  scaleOf,
  stepPath,
  y,
} from "./chart";

const scale = { low: 0, high: 100, ticks: [0, 50, 100] };

describe("the scale", () => {
  it.each([
    [[], null],
    [[9_800, 12_000], { low: 9_000, high: 12_000, ticks: [9_000, 10_000, 11_000, 12_000] }],
    [[289_000], { low: 285_000, high: 295_000, ticks: [285_000, 290_000, 295_000] }],
    [[0], { low: 0, high: 2, ticks: [0, 1, 2] }],
  ])("of %j", (values, want) => expect(scaleOf(values)).toEqual(want));

  it("holds all values between few round ticks, whatever they are", () => {
    for (let seed = 1; seed < 400; seed += 1) {
      const values = [1, 2, 3].map((at) => (seed * at * 7919) % (10 ** (seed % 7) + 1));
      const { low, high, ticks } = scaleOf(values) ?? scale;
      expect(low).toBeLessThanOrEqual(Math.min(...values));
      expect(high).toBeGreaterThanOrEqual(Math.max(...values));
      expect(ticks.length).toBeGreaterThanOrEqual(3);
      expect(ticks.length).toBeLessThanOrEqual(7);
      expect([ticks[0], ticks.at(-1)]).toEqual([low, high]);
    }
  });
});

it("puts the highest value at the top", () => {
  expect([y(100, scale), y(50, scale), y(0, scale)]).toEqual([0, 50, 100]);
});

it("draws a step for each day, and nothing on days without a value", () => {
  expect(stepPath([10, 20, null, 30], scale)).toBe("M0 90H1V80H2M3 70H4");
  expect(stepPath([null, null], scale)).toBe("");
});

it("draws a band on the days that have both bounds", () => {
  expect(bandPath([10, 20, null], [50, 60, 70], scale)).toBe("M0 50H1V40H2V80H1V90H0Z");
});

it("draws dots in the middle of days", () => {
  expect(dotPath([null, 40], scale)).toBe("M1.5 60h0");
});

it("labels few days, and the last", () => {
  expect(labelledDays(30, 6)).toEqual([4, 9, 14, 19, 24, 29]);
  expect(labelledDays(3, 6)).toEqual([0, 1, 2]);
  expect(labelledDays(0, 6)).toEqual([]);
});

it("takes every amount of a trend", () => {
  const days = [aDay({ soldMedian: 5 }), aDay({ lowest: null, p25: null, p75: null })];
  expect(amountsOf(days)).toEqual([289_000, 300_000, 330_000, 5]);
});

describe("the prices of one result", () => {
  it("reach from the first to now", () => {
    expect(
      pricePath(
        [
          [0, 200],
          [50, 100],
        ],
        100,
      ),
    ).toBe("M0 0H50V100H100");
  });
  it("stay in the box where a price is newer than its end", () => {
    expect(pricePath([[100, 200]], 90)).toBe("M0 50H0");
  });
  it("are interrupted while there is none", () => {
    expect(
      pricePath(
        [
          [0, 200],
          [50, null],
          [75, 100],
        ],
        100,
      ),
    ).toBe("M0 0H50M75 100H100");
  });
  it("are a level line while they do not change", () => {
    expect(pricePath([[0, 200]], 100)).toBe("M0 50H100");
  });
  it("are nothing without a price", () => {
    expect(pricePath([[0, null]], 100)).toBe("");
    expect(pricePath([], 100)).toBe("");
  });
});
