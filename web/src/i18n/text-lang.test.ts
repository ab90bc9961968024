import { expect, it } from "vitest";
import { textLang } from "./text-lang";

it.each([
  ["ja-JP", "Hello", "en", "ja-JP"],
  ["", "「読む」ための組版", "en", "ja"],
  ["", "Go 1.26 is out", "ja", "ja"],
  ["", "漢字", "en", "en"],
  ['"><b', "text", "en", "en"],
])("%s, %s, %s: %s", (feed, text, locale, want) => {
  expect(textLang(feed, text, locale)).toBe(want);
});
