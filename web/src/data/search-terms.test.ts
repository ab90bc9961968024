import { describe, expect, it } from "vitest";
import { isTitleOnly, partsOf, termsIn, typedQuery, withTitleOnly } from "./search-terms";

const texts = (q: string) =>
  termsIn(q).map(
    ({ isNegated, field, text, isQuoted, isPrefix }) =>
      `${isNegated ? "not " : ""}${field ?? "any"} ${isQuoted ? "quoted " : ""}${text}${isPrefix ? " …" : ""}`,
  );

describe("the words of a query", () => {
  it.each([
    ["", []],
    ["   ", []],
    ["東京 桜", ["any 東京", "any 桜"]],
    ["東京　桜", ["any 東京", "any 桜"]],
    ["Go言語", ["any Go言語"]],
    ['"night train" tea', ["any quoted night train", "any tea"]],
    ['"night train', ["any quoted night train"]],
    ["“night train”", ["any quoted night train"]],
    ["„Haus am See“ «la mer»", ["any quoted Haus am See", "any quoted la mer"]],
    ["＂夜行列車＂", ["any quoted 夜行列車"]],
    ["「夜行」", ["any 「夜行」"]],
    ["-cherry", ["not any cherry"]],
    ["－cherry", ["not any cherry"]],
    ["well-known", ["any well-known"]],
    ["-", ["any -"]],
    ["title:tea author:ito", ["title tea", "author ito"]],
    ["title：tea", ["title tea"]],
    ["-title:tea", ["not title tea"]],
    ['title:"black tea"', ["title quoted black tea"]],
    ["http://example.jp", ["any http://example.jp"]],
    ["title:", ["any title:"]],
    ["rea*", ["any rea …"]],
    ["*", ["any *"]],
    ['""', []],
    ["is:unread after:2026-05-03 before:2026-06-01 tea", ["any tea"]],
  ])("%s", (q, want) => {
    expect(texts(q)).toEqual(want);
  });

  it("keeps conditions as they are", () => {
    expect(partsOf("tea is:unread").at(-1)).toBe("is:unread");
  });
});

describe("title only", () => {
  it.each([
    ["tea", "title:tea"],
    ['tea "night train" -milk is:unread', 'title:tea title:"night train" -milk is:unread'],
    ["author:ito rea*", "author:ito title:rea*"],
  ])("turns %s into %s", (q, want) => {
    expect(isTitleOnly(q)).toBe(false);
    expect(withTitleOnly(q, true)).toBe(want);
    expect(isTitleOnly(want)).toBe(true);
  });

  it("is turned off again", () => {
    expect(withTitleOnly('title:tea title:"night train" -title:milk', false)).toBe(
      'tea "night train" -title:milk',
    );
  });

  it("needs words", () => {
    expect(isTitleOnly("")).toBe(false);
    expect(isTitleOnly("-title:tea")).toBe(false);
  });
});

describe("what is searched for while one types", () => {
  it.each([
    ["ca", "title:ca*"],
    ["cache ke", "title:cache title:ke*"],
    ["cache k", "title:cache*"],
    ["桜", "title:桜"],
    ["夜桜", "title:夜桜*"],
    ["rea*", "title:rea*"],
    ['"night tra', "title:night title:tra*"],
    ['"night train"', 'title:"night train"'],
    ["tea -mi", "title:tea -title:mi*"],
    ["tea -", "title:tea*"],
    ["tea title:", "title:tea*"],
    ["tea author:ito", "title:tea author:ito*"],
    ["tea is:unr", "title:tea*"],
    ["tea is:unread", "title:tea is:unread"],
    ["tea after:2026-0", "title:tea*"],
    ["tea after:2026-05-03", "title:tea after:2026-05-03"],
    ["-tea", ""],
    ["is:starred", ""],
    ["c", ""],
    ['"', ""],
  ])("%s", (q, want) => {
    expect(typedQuery(q)).toBe(want);
  });
});
