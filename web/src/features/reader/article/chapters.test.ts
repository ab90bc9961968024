import { expect, it } from "vitest";
import { linkTimes, timeOf } from "./chapters";

const linked = (html: string) => {
  const box = document.createElement("div");
  box.innerHTML = html;
  linkTimes(box);
  return box;
};

it.each([
  ["00:00 Intro", ["#t=0"]],
  ["(4:05) Soup<br>12:30 — Bread", ["#t=245", "#t=750"]],
  ["1:02:03 The end", ["#t=3723"]],
  ["72:10 of a long one", ["#t=4330"]],
  ["1:75:03 and 3:61 and 12:345 and 1.2:30", []],
  ["2026-11-28T12:30:00.5 and 10:20:30:40", []],
  ['<a href="https://example.org/">4:05</a> <code>4:05</code>', []],
])("%s", (html, want) => {
  const links = [...linked(html).querySelectorAll('a[href^="#"]')];
  expect(links.map((link) => link.getAttribute("href"))).toEqual(want);
});

it("leaves the text as it was", () => {
  const html = "<p>00:00 Intro</p><ul><li>12:30 Bread, 13:00 <b>Salt</b></li></ul>";
  const plain = document.createElement("div");
  plain.innerHTML = html;
  expect(linked(html).textContent).toBe(plain.textContent);
});

it("knows which link was clicked", () => {
  const box = linked("4:05 Soup");
  let got: number | null = null;
  box.addEventListener("click", (event) => {
    got = timeOf(event);
  });
  box.querySelector("a")?.click();
  expect(got).toBe(245);
  box.click();
  expect(got).toBeNull();
});
