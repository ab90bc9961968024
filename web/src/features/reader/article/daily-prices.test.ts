import { expect, it } from "vitest";
import { dailyPrices } from "./daily-prices";

const day = 86_400;
const now = 1_000 * day;

it.each([
  ["none", [], [null, null, null, null]],
  ["one from before", [[900 * day, 5]], [5, 5, 5, 5]],
  ["one since yesterday", [[998.5 * day, 5]], [null, null, 5, 5]],
  [
    "a drop today",
    [
      [900 * day, 5],
      [now - 1, 4],
    ],
    [5, 5, 5, 4],
  ],
  [
    "gone for a while",
    [
      [900 * day, 5],
      [997.5 * day, null],
      [998.5 * day, 6],
    ],
    [5, null, 6, 6],
  ],
])("%s", (_, prices, want) => {
  expect(dailyPrices(prices, 4, now)).toEqual(want);
});
