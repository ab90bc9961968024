import { describe, expect, it } from "vitest";
import { decimalsOf, minorOf, money, moneyChange, shareChange, typedOf } from "./money";

describe("money", () => {
  it.each([
    [9800, "JPY", "en", "¥9,800"],
    [9800, "JPY", "ja", "￥9,800"],
    [1250, "EUR", "en", "€12.50"],
    [1234567, "KWD", "en", "KWD 1,234.567"],
    [1299, "USD", "ja", "$12.99"],
    [1299, "", "en", "1,299"],
    [1299, "not one", "en", "1,299"],
  ])("%s minor units of %j in %s are %s", (minor, currency, locale, want) => {
    expect(money(minor, currency, locale).replaceAll("\u00a0", " ")).toBe(want);
  });

  it("has a sign where it is a change", () => {
    expect(moneyChange(-1200, "JPY", "en")).toBe("−¥1,200");
    expect(moneyChange(1200, "JPY", "en")).toBe("+¥1,200");
    expect(moneyChange(0, "JPY", "en")).toBe("±¥0");
  });
});

it.each([
  [12_000, 9_800, "−18%"],
  [100, 150, "+50%"],
  [100, 100, ""],
  [0, 100, ""],
])("from %s to %s is a change by %j", (before, after, want) => {
  expect(shareChange(before, after, "en")).toBe(want);
});

it.each([
  ["9800", "JPY", 9800],
  ["9,800", "JPY", 9800],
  ["９８００", "JPY", 9800],
  ["12.5", "EUR", 1250],
  ["", "EUR", undefined],
  [" ", "EUR", undefined],
  ["cheap", "EUR", null],
  ["-5", "EUR", null],
])("%j in a field for %s are %s minor units", (typed, currency, want) => {
  expect(minorOf(typed, currency)).toBe(want);
});

it("shows in a field what was typed there", () => {
  for (const currency of ["JPY", "EUR", "KWD", ""]) {
    expect(minorOf(typedOf(12_345, currency), currency)).toBe(12_345);
  }
  expect(typedOf(0, "EUR")).toBe("");
  expect([decimalsOf("JPY"), decimalsOf("EUR"), decimalsOf("")]).toEqual([0, 2, 0]);
});
