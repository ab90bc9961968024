import { describe, expect, it } from "vitest";
import { aCandidate, aPreviewRow, aWatch } from "@/testing/watches";
import { currencyOf, draftOf, filterOf, newDraft, settingsOf, wordsOf, wrongFields } from "./draft";

const url = "https://shop.example/search?q=m6";
const candidate = aCandidate({ layout: { rows: "li" } });

it.each([
  ["", []],
  ["Leica M6", ["Leica", "M6"]],
  ["Leica M6, TTL", ["Leica M6", "TTL"]],
  ["ライカ、M6、", ["ライカ", "M6"]],
  ["a a  a", ["a"]],
])("%j are the words %j", (text, want) => expect(wordsOf(text)).toEqual(want));

describe("filters", () => {
  it("are in minor units of the currency of the rows", () => {
    const draft = { ...newDraft, words: "m6", without: "junk", min: "10", max: "20.5" };
    expect(filterOf(draft, "EUR")).toEqual({
      words: ["m6"],
      without: ["junk"],
      min: 1000,
      max: 2050,
    });
    expect(filterOf(newDraft, "EUR")).toEqual({});
  });

  it("are wrong where they are no amounts, or leave nothing", () => {
    expect([...wrongFields({ ...newDraft, min: "x", wanted: "1..2" }, "JPY")]).toEqual([
      "min",
      "wanted",
    ]);
    expect([...wrongFields({ ...newDraft, min: "20", max: "10" }, "JPY")]).toEqual(["max"]);
    expect([...wrongFields({ ...newDraft, min: "10", max: "10" }, "JPY")]).toEqual([]);
  });
});

describe("what is saved", () => {
  it("leaves out what is usual", () => {
    const draft = { ...newDraft, name: " Leica " };
    expect(settingsOf(draft, { url, candidate, currency: "JPY", query: null, old: null })).toEqual({
      name: "Leica",
      url,
      layout: { rows: "li" },
    });
  });

  it("keeps what the form does not show, and every choice", () => {
    const old = { name: "Old", pace: 8, words: ["old"] };
    const draft = {
      ...newDraft,
      name: "New",
      words: "m6",
      wanted: "9800",
      events: ["sold", "new"] as const,
      details: true,
      months: 12,
    };
    expect(settingsOf(draft, { url, candidate, currency: "JPY", query: null, old })).toEqual({
      name: "New",
      url,
      layout: { rows: "li" },
      months: 12,
      pace: 8,
      words: ["m6"],
      wanted: 9800,
      events: ["new", "sold"],
      details: true,
    });
  });

  it("names an adapter instead of copying its layout", () => {
    const named = { ...candidate, adapter: "demo-shop" };
    const query = { keyword: "m6" };
    expect(settingsOf(newDraft, { url, candidate: named, currency: "", query, old: null })).toEqual(
      {
        name: "",
        adapter: "demo-shop",
        query: { keyword: "m6" },
      },
    );
    expect(
      settingsOf(newDraft, { url, candidate: named, currency: "", query: null, old: null }),
    ).toEqual({
      name: "",
      adapter: "demo-shop",
      url,
    });
  });

  it("is what the form shows again", () => {
    const watch = aWatch({
      name: "Leica",
      settings: {
        name: "Leica",
        url,
        layout: { rows: "li" },
        words: ["m6"],
        max: 300_000,
        months: 6,
        events: ["sold"],
      },
    });
    const source = { url, candidate, currency: "JPY", query: null, old: watch.settings };
    expect(settingsOf(draftOf(watch), source)).toEqual(watch.settings);
  });
});

it("takes the currency of the first row that has one", () => {
  const rows = [aPreviewRow({ currency: "" }), aPreviewRow({ currency: "EUR" })];
  expect(currencyOf(aCandidate({ rows }))).toBe("EUR");
  expect(currencyOf(null)).toBe("");
});
