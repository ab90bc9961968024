// The first page: what is new since the last visit, and the way through it with keys alone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { assertAccessible } from "./harness/axe.ts";
import { eventually, eventuallyEquals } from "./harness/eventually.ts";
import { keepScreenshot } from "./harness/screenshot.ts";

let app: App;
let as: Awaited<ReturnType<App["user"]>>;

before(async () => {
  app = await startApp();
  as = await app.user("today");
  await app.visit({ as }, async ({ api }) => {
    await api.addFeed(app.publisher.url("/feeds/plain.xml"), "Tests");
    await api.addFeed(app.publisher.url("/feeds/nihongo.atom"));
    await eventually(
      "the feeds",
      () => api.feeds(),
      ({ feeds }) => feeds.length === 2 && feeds.every((feed) => feed.itemCount > 0),
    );
  });
});
after(() => app?.close());

for (const [locale, width, height, scheme] of [
  ["en", 1440, 900, "light"],
  ["en", 768, 1024, "dark"],
  ["ja", 390, 844, "dark"],
] as const) {
  test(`Today is never empty and fits: ${locale}, ${width} wide, ${scheme}`, async () => {
    await app.visit({ as, locale, width, height }, async (reader) => {
      await reader.page.emulateMedia({ colorScheme: scheme });
      await reader.open("/");
      await reader.page.locator(".today .hero").waitFor();
      await reader.settled();
      await reader.showsNoShift("today");
      const sheet = reader.page.locator(".today");
      assert.equal(await sheet.locator("section").count(), 2, "a folder, and what is in none");
      const over = await reader.page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.equal(over, 0, "wider than the screen");
      if (width > 768) assert.ok(((await sheet.boundingBox())?.width ?? 0) <= 768);
      await keepScreenshot(reader.page, `screens/today-${scheme}-${width}-${locale}.png`);
      await assertAccessible(reader.page, `today-${width}`);
    });
  });
}

test("Space walks through Today, and Escape returns to it with the ring further on", async () => {
  await app.visit({ as, width: 1440, height: 900 }, async (reader) => {
    await reader.open("/all");
    await reader.page.keyboard.press("g");
    await reader.page.keyboard.press("h");
    await eventuallyEquals("the address", () => reader.path(), "/");
    const first = reader.page.locator(".today-row").first();
    const title = await first.locator("b").textContent();
    await reader.page.keyboard.press(" ");
    await eventuallyEquals(
      "the article",
      () => reader.page.locator(".article-pane h1").first().textContent(),
      title,
    );
    assert.match(reader.path(), /^\/today\/i\/\d+$/);
    await reader.page.keyboard.press("j");
    await eventually(
      "the next article",
      () => reader.page.locator(".article-pane h1").first().textContent(),
      (shown) => shown !== title,
    );
    await reader.page.keyboard.press("Escape");
    await eventuallyEquals("the address", () => reader.path(), "/");
    await reader.page.getByRole("img", { name: /^2 of \d+ seen$/ }).waitFor();
    await eventuallyEquals("the row", () => first.getAttribute("data-read"), "true");
  });
});
