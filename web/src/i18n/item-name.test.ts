import { expect, test } from "vitest";
import { itemName } from "./item-name";

const link = "https://example.org/a";
const words = "word ".repeat(40).trim();

test.each([
  ["its title", { title: "T", snippet: "S", link }, "T"],
  ["its text", { title: "", snippet: "S", link }, "S"],
  ["the text's beginning", { title: "", snippet: words, link }, `${words.slice(0, 99)}…`],
  [
    "no half words",
    { title: "", snippet: `${"a".repeat(70)} ${"b".repeat(70)}`, link },
    `${"a".repeat(70)}…`,
  ],
  ["no half signs", { title: "", snippet: "𠮷".repeat(120), link }, `${"𠮷".repeat(99)}…`],
  ["its address", { title: "", snippet: "", link }, link],
  ["that it has none", { title: "", snippet: "", link: "" }, "Untitled"],
])("an item is called by %s", (_, item, name) => {
  expect(itemName(item)).toBe(name);
});
