import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

// Utility classes place things (box, flex, gap, margin, padding, size) and set off words in a text. Looks of things, such as
// backgrounds, borders, corners and layers, are written in style sheets, with the tokens (decision 0118).
const place =
  /^(block|flex|contents|sr-only|truncate|m-auto|list-disc|select-all|(items|justify|self|place)-[a-z-]+|flex-(1|col|wrap)|overflow-y-auto|grid-cols-\S+|(gap|m|p)[trblesxy]?(-[xy])?-(\d+|auto)|(min-|max-)?(h|w|size)-\S+|empty:hidden)$/;
const words =
  /^(text-(ink2?|ink3|link|err|xs|lg|xl)|font-semibold|underline|tabular-nums|break-(all|words))$/;

it("uses utility classes for places and words alone", () => {
  // Some names are for browser tests.
  const css = globSync(["src/**/*.css", "e2e/*.ts"]).map((file) => readFileSync(file, "utf8"));
  const own = new Set([...css.join().matchAll(/\.([a-z][\w-]*)/g)].map((m) => m[1]));
  const others: string[] = [];
  for (const file of globSync("src/**/*.tsx").filter((file) => !file.includes(".test."))) {
    for (const [, classes = ""] of readFileSync(file, "utf8").matchAll(/className="([^"]*)"/g)) {
      for (const name of classes.split(/\s+/)) {
        if (name !== "" && !own.has(name) && !place.test(name) && !words.test(name)) {
          others.push(`${file}: ${name}`);
        }
      }
    }
  }
  expect(others).toEqual([]);
});

// With each element that comes or goes such a rule has the whole page looked at and styled again.
it("asks nothing of the whole page with :has(), except on paper", () => {
  const asking = globSync("src/**/*.css")
    .filter((file) => !file.endsWith("print.css"))
    .flatMap(
      (file) => readFileSync(file, "utf8").match(/^.*(:root|html|body)\S*:has\(.*$/gm) ?? [],
    );
  expect(asking).toEqual([]);
});
