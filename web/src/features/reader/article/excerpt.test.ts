import { expect, test } from "vitest";
import { isExcerpt } from "./excerpt";

const link = "https://example.org/2026/11/rain/";
const item = (contentHtml: string, title = "Rain") => ({
  title,
  link,
  contentHtml,
  characters: contentHtml.replace(/<[^>]*>/g, "").length,
});
const long = "雨の日の話。".repeat(300);

test.each([
  ["a description", "The first lines of a longer story."],
  ["dots", "<p>It began to rain, and then…</p>"],
  ["dots in a quotation", "<p>「雨が降り始めた…」</p>"],
  ["dots in brackets, however long", `<p>${long} [&#8230;]</p>`],
  ["a link to the page", `<p>It rained.</p><p><a href="${link}?utm=feed">Read more</a> →</p>`],
  ["a link in Japanese", `<p>雨。</p><a href="https://example.org/2026/11/rain">続きを読む</a>`],
])("%s is a beginning", (_, html) => {
  expect(isExcerpt(item(html))).toBe(true);
});

test.each([
  ["a short note", "<p>It rained all day.</p>"],
  ["a note with a link elsewhere", '<p>See <a href="https://example.net/">the map</a>.</p>'],
  ["a long text that ends in dots", `<p>${long}…</p>`],
  ["a link to the page in the middle", `<p><a href="${link}">Rain</a> again, all day.</p>`],
  ["a long plain text", long],
])("%s is whole", (_, html) => {
  expect(isExcerpt(item(html))).toBe(false);
});

test("words without a title are a note", () => {
  expect(isExcerpt(item("It rained all day.", ""))).toBe(false);
});
