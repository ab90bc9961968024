import { describe, expect, it } from "vitest";
import { clockTime } from "./clock-time";
import { dayName, dayOf, relativeTime } from "./format";
import { perWeek, shortCount } from "./numbers";

const now = Date.parse("2026-11-21T12:00:00Z");

describe("relativeTime", () => {
  it.each([
    ["2026-11-21T11:59:30Z", "ja", "今"],
    ["2026-11-21T11:59:30Z", "en", "now"],
    ["2026-11-21T11:55:00Z", "ja", "5分前"],
    ["2026-11-21T09:00:00Z", "ja", "3時間前"],
    ["2026-11-21T09:00:00Z", "en", "3 hr. ago"],
    ["2026-11-20T11:00:00Z", "ja", "昨日"],
    ["2026-11-20T11:00:00Z", "en", "yesterday"],
    ["2026-11-15T12:00:00Z", "ja", "6日前"],
    ["2026-11-03T12:00:00Z", "ja", "11月3日"],
    ["2026-11-03T12:00:00Z", "en", "Nov 3"],
    ["2025-11-03T12:00:00Z", "ja", "2025年11月3日"],
    ["2025-11-03T12:00:00Z", "en", "Nov 3, 2025"],
    ["not a date", "en", ""],
  ])("%s in %s is %s", (iso, locale, want) => {
    expect(relativeTime(iso, now, locale, "UTC")).toBe(want);
  });
});

describe("clockTime", () => {
  it("leaves the day out when it is near", () => {
    expect(clockTime("2026-11-21T14:30:00Z", now, "ja", "UTC")).toBe("14:30");
    expect(clockTime("2026-11-23T14:30:00Z", now, "ja", "UTC")).toBe("11月23日 14:30");
  });
});

describe("dayName", () => {
  const today = dayOf("2026-11-21T12:00:00");
  it.each([
    ["2026-11-21T08:00:00", "en", "today"],
    ["2026-11-21T08:00:00", "ja", "今日"],
    ["2026-11-20T23:59:00", "ja", "昨日"],
    ["2026-11-03T08:00:00", "en", "Tuesday, November 3"],
    ["2026-11-03T08:00:00", "ja", "11月3日火曜日"],
    ["2025-11-03T08:00:00", "ja", "2025年11月3日(月)"],
  ])("%s in %s is %s", (iso, locale, want) => {
    expect(dayName(dayOf(iso), today, locale)).toBe(want);
  });
  it("takes what is no time for no day", () => expect(dayOf("soon")).toBe(0));
});

it("caps counts", () => {
  expect([shortCount(0), shortCount(999), shortCount(1000)]).toEqual(["0", "999", "999+"]);
});

it("shows items a week in one way", () => {
  expect([0, 0.04, 0.54, 2.96, 3.4, 161.2].map((items) => perWeek(items, "en"))).toEqual([
    "0",
    "0",
    "0.5",
    "3",
    "3",
    "161",
  ]);
});
