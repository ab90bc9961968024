import { expect, it } from "vitest";
import { anItem } from "@/testing/fixtures";
import { lineAt, toLines } from "./lines";

const at = (id: string, day: number) =>
  anItem({ id, publishedAt: new Date(2026, 10, day, 9).toISOString() });
const items = [at("1", 21), at("2", 21), at("3", 21), at("4", 20), at("5", 18)];
const told = (columns: number, hasDays = true) =>
  toLines(items, columns, hasDays).map(
    (line) =>
      `${line.day === null ? "" : `${new Date(line.day).getDate()}: `}${line.items.map((item) => item.id).join(" ")}`,
  );

it("begins each day with its name", () => {
  expect(told(1)).toEqual(["21: 1", "2", "3", "20: 4", "18: 5"]);
});

it("puts an item under the day where it stands, not under a date in the future", () => {
  const ahead = { ...at("6", 30), sortedAt: at("6", 21).publishedAt };
  const lines = toLines([ahead, ...items], 1, true);
  expect(lines.map(({ day }) => day && new Date(day).getDate())).toEqual([
    21,
    null,
    null,
    null,
    20,
    18,
  ]);
});

it("sets cards side by side, but not those of two days", () => {
  expect(told(2)).toEqual(["21: 1 2", "3", "20: 4", "18: 5"]);
});

it("names no days where the order is not by days", () => {
  expect(told(3, false)).toEqual(["1 2 3", "4 5"]);
});

it("finds the line of an item", () => {
  const lines = toLines(items, 2, true);
  expect(items.map((_, index) => lineAt(lines, index))).toEqual([0, 0, 1, 2, 3]);
  expect(lineAt([], 3)).toBe(0);
});
