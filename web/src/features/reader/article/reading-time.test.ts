import { describe, expect, it } from "vitest";
import { readingMinutes } from "./reading-time";

describe("readingMinutes", () => {
  it.each([
    [0, "ja", null],
    [1, "ja", 1],
    [500, "ja", 1],
    [2_600, "ja", 5],
    [2_600, "ja-JP", 5],
    [2_600, "zh-Hant", 5],
    [2_600, "en", 2],
    [12_000, "en-GB", 10],
    [12_000, "", 10],
  ])("%i characters of %s take %s minutes", (characters, lang, minutes) => {
    expect(readingMinutes(characters, lang)).toBe(minutes);
  });
});
