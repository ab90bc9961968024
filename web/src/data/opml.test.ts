import { expect, it } from "vitest";
import { writeOpml } from "./opml";

it("keeps folders, and takes every character for what it is", () => {
  const opml = writeOpml('A & "B"', [
    { title: "One <1>", url: "https://a.jp/?x=1&y=2", path: ["技術", "Go"] },
    { title: "", url: "https://b.jp/", path: [] },
    { title: "Three", url: "https://c.jp/", path: ["技術"] },
  ]);
  const doc = new DOMParser().parseFromString(opml, "text/xml");
  expect(doc.querySelector("parsererror")).toBeNull();
  expect(doc.querySelector("title")?.textContent).toBe('A & "B"');
  const place = (url: string) => {
    const names = [];
    let at = [...doc.querySelectorAll("[xmlUrl]")].find(
      (one) => one.getAttribute("xmlUrl") === url,
    )?.parentElement;
    for (; at?.tagName === "outline"; at = at.parentElement) names.unshift(at.getAttribute("text"));
    return names;
  };
  expect(place("https://a.jp/?x=1&y=2")).toEqual(["技術", "Go"]);
  expect(place("https://c.jp/")).toEqual(["技術"]);
  expect(place("https://b.jp/")).toEqual([]);
  expect(doc.querySelectorAll('[text="技術"]')).toHaveLength(1);
});

it("drops what is no XML", () => {
  expect(writeOpml("a\u0000b\u001fc", [])).toContain("<title>abc</title>");
});
