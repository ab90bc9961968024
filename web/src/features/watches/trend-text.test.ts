import { expect, it } from "vitest";
import { dayEnd } from "./trend-text";

it.each([
  ["en", "Asia/Tokyo", "9:00 AM"],
  ["ja", "Asia/Tokyo", "9:00"],
  ["en", "America/New_York", "8:00 PM"],
  ["en", "Asia/Kolkata", "5:30 AM"],
])("says in the reader's time when a day of a trend ends (%s, %s)", (locale, zone, end) => {
  const summer = Date.parse("2026-07-01T10:00:00Z");
  expect(dayEnd(summer, locale, zone).replace(/\u202f/g, " ")).toBe(end);
});
