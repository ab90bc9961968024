import { expect, it } from "vitest";
import { makeTypeAhead } from "./type-ahead";

const names = ["Alpha", "Beta", "Bravo", "Ｂｅｌｌ", "éclair", "技術"];

it("goes to the next name that begins so, round the end", () => {
  const find = makeTypeAhead();
  expect(find(names, 0, "b", 0)).toBe(1);
  expect(find(names, 1, "b", 300)).toBe(2);
  expect(find(names, 2, "b", 600)).toBe(3);
  expect(find(names, 3, "b", 900)).toBe(1);
});

it("takes letters in a row for one word, and after a pause for a new one", () => {
  const find = makeTypeAhead();
  expect(find(names, 0, "b", 0)).toBe(1);
  expect(find(names, 1, "r", 200)).toBe(2);
  expect(find(names, 2, "a", 2_000)).toBe(0);
});

it("leaves a letter that begins no name, and minds neither accents nor width", () => {
  const find = makeTypeAhead();
  expect(find(names, 0, "x", 0)).toBe(-1);
  expect(find(names, 0, "e", 0)).toBe(4);
  expect(find(names, 0, "技", 2_000)).toBe(5);
});
