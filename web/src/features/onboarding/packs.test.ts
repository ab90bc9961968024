import { expect, it } from "vitest";
import { packsFor } from "./packs";

it("offers each feed once, at a whole address", () => {
  const urls = packsFor("ja").flatMap((pack) => pack.feeds.map((feed) => feed.url));
  expect(new Set(urls).size).toBe(urls.length);
  expect(urls.length).toBeGreaterThan(48);
  for (const url of urls) expect(new URL(url).protocol).toBe("https:");
});

it("has the packs of the person's language first", () => {
  expect(packsFor("ja")[0]?.id).toBe("tech-ja");
  expect(packsFor("en")[0]?.id).toBe("tech-en");
});
