import { expect, it } from "vitest";
import { search } from "./name-match";

const names = [
  "Small Tools",
  "The Quiet Web",
  "Web 技術",
  "ガジェット通信",
  "Ｗｅｂ標準",
  "Show unread articles",
];
const found = (text: string) =>
  search(
    names.map((name) => ({ name })),
    text,
  ).map(({ name }) => name);

it("puts beginnings before words, words before parts, and parts before scattered letters", () => {
  expect(found("web")).toEqual(["Web 技術", "Ｗｅｂ標準", "The Quiet Web"]);
  expect(found("too")).toEqual(["Small Tools"]);
  expect(found("sui")).toEqual(["Show unread articles"]);
  expect(found("xyz")).toEqual([]);
});

it("minds neither width nor kind of kana", () => {
  expect(found("がじぇ")).toEqual(["ガジェット通信"]);
  expect(found("ｗｅｂ 技")).toEqual(["Web 技術"]);
});

it("finds all for nothing", () => {
  expect(found(" ")).toEqual(names);
});

it("finds by what a thing is about after its name, and never by letters of that", () => {
  const all = [
    { name: "Display", words: "theme language" },
    { name: "Themes weekly" },
    { name: "A theme park" },
    { name: "The me, e" },
  ];
  const names = (text: string) => search(all, text).map((one) => one.name);
  expect(names("theme")).toEqual(["Themes weekly", "A theme park", "Display"]);
  expect(names("lang")).toEqual(["Display"]);
  expect(names("tmlg")).toEqual([]);
});
