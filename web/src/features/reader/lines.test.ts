import { expect, it } from "vitest";
import { anItem } from "@/testing/fixtures";
import { earlier, lineAt, sizesOf, toLines } from "./lines";

const at = (id: string, day: number) =>
  anItem({ id, publishedAt: new Date(2026, 10, day, 9).toISOString() });
const items = [at("1", 21), at("2", 21), at("3", 21), at("4", 20), at("5", 18)];
const many = [...items.slice(0, 4), at("7", 20), at("5", 18)];
const told = (columns: number, hasDays = true) =>
  toLines(items, columns, hasDays).map(
    (line) =>
      `${line.day === null ? "" : line.day === earlier ? "earlier: " : `${new Date(line.day).getDate()}: `}${line.items.map((item) => item.id).join(" ")}`,
  );

it("begins each day of several items with its name; from the first single one on it is earlier", () => {
  expect(told(1)).toEqual(["21: 1", "2", "3", "earlier: 4", "5"]);
  expect(toLines(many, 1, true).map(({ day }) => day && new Date(day).getDate())).toEqual([
    21,
    null,
    null,
    20,
    null,
    new Date(earlier).getDate(),
  ]);
  expect(toLines(items.slice(3), 1, true).map(({ day }) => day)).toEqual([null, earlier]);
});

it("takes the last day for one of several items until the list has ended", () => {
  const days = toLines(items.slice(0, 4), 1, true, false).map(({ day }) => day);
  expect(days.at(-1)).toBe(new Date(2026, 10, 20).getTime());
});

it("puts an item under the day where it stands, not under a date in the future", () => {
  const ahead = { ...at("6", 30), sortedAt: at("6", 21).publishedAt };
  const lines = toLines([ahead, ...many], 1, true);
  expect(lines.map(({ day }) => day && new Date(day).getDate())).toEqual([
    21,
    null,
    null,
    null,
    20,
    null,
    new Date(earlier).getDate(),
  ]);
});

it("sets cards side by side, but not those of two days", () => {
  expect(told(2)).toEqual(["21: 1 2", "3", "earlier: 4 5"]);
});

it("names no days where the order is not by days", () => {
  expect(told(3, false)).toEqual(["1 2 3", "4 5"]);
});

it("finds the line of an item", () => {
  const lines = toLines(items, 2, true);
  expect(items.map((_, index) => lineAt(lines, index))).toEqual([0, 0, 1, 2, 2]);
  expect(lineAt([], 3)).toBe(0);
});

it("gives rows of watches their height in Skim and Read", () => {
  const offer = { ...({} as NonNullable<ReturnType<typeof anItem>["offer"]>) };
  for (const mode of ["skim", "read"] as const) {
    const shape = { mode, isCompact: true, hasImages: true, hasOfferImages: true };
    expect(sizesOf(shape, 400, 1).of([anItem({ offer })])).toBe(64);
    expect(sizesOf(shape, 400, 1).of([anItem()])).not.toBe(64);
  }
});
