import { expect, it } from "vitest";
import { directionOf, setDirections } from "./direction";

function directions(html: string) {
  const template = document.createElement("template");
  template.innerHTML = html;
  const whole = setDirections(template.content);
  const each = [...template.content.querySelectorAll<HTMLElement>("*")].map((one) =>
    `${one.localName} ${one.dir}`.trim(),
  );
  return [whole, ...each];
}

const arabic = "هذه فقرة عربية طويلة تبدأ من اليمين";

it("gives each block its own direction, and the whole that of most of it", () => {
  expect(directions(`<p>Reuters</p><p>${arabic}</p>`)).toEqual(["rtl", "p auto", "p auto"]);
  expect(directions("<p>Plain English</p><pre>x</pre>")).toEqual(["ltr", "p auto", "pre ltr"]);
  expect(directions(`<ul><li>A <code>x</code> ${arabic}</li></ul>`)).toEqual([
    "rtl",
    "ul rtl",
    "li auto",
    "code ltr",
  ]);
});

it("keeps the publisher's direction, with all in it", () => {
  expect(directions(`<div dir="rtl"><p>Reuters</p></div><p dir="ltr">${arabic}</p>`)).toEqual([
    "rtl",
    "div rtl",
    "p",
    "p ltr",
  ]);
});

it("knows scripts that are written from right to left", () => {
  expect(directionOf("Ubuntu 26.04: שלום עולם שלום")).toBe("rtl");
  expect(directionOf("An English text about שלום")).toBe("ltr");
  expect(directionOf("123")).toBe("ltr");
});
