// What stands in a list and in an item keeps to its place: a row under a finger, a picture that does not come, icons
// beside long titles.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { eventuallyEquals } from "./harness/eventually.ts";
import type { Reader } from "./harness/reader.ts";
import { keepScreenshot } from "./harness/screenshot.ts";

let app: App;

before(async () => {
  app = await startApp();
});
after(() => app?.close());

const shot = (reader: Reader, name: string) => keepScreenshot(reader.page, `screens/${name}.png`);

test("a row that a finger draws leaves the heading of its day as it is", async () => {
  const as = await app.user("finger");
  for (const locale of ["en", "ja"] as const) {
    await app.visit({ as, locale, width: 390, height: 844 }, async (reader) => {
      const { id } = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
      await reader.open(`/feed/${id}`);
      await reader.settled();
      const line = reader.page.locator(".line", { has: reader.page.locator(".day") }).first();
      const [day, row] = [line.locator(".day"), line.locator(".row")];
      const [head, box] = [await day.boundingBox(), await row.boundingBox()];
      assert.ok(head && box);
      const session = await reader.page.context().newCDPSession(reader.page);
      const touch = (type: "touchStart" | "touchMove" | "touchEnd", x: number) =>
        session.send("Input.dispatchTouchEvent", {
          type,
          touchPoints: type === "touchEnd" ? [] : [{ x, y: box.y + box.height / 2 }],
        });
      await touch("touchStart", 150);
      for (const x of [170, 190, 210]) await touch("touchMove", x);
      await eventuallyEquals("the gesture", () => line.getAttribute("data-swipe"), "star");
      const strip = await line.evaluate((one) => {
        const { top, left, width, height } = getComputedStyle(one, "::before");
        const own = one.getBoundingClientRect();
        return {
          x: own.left + Number.parseFloat(left),
          y: own.top + Number.parseFloat(top),
          width: Number.parseFloat(width),
          height: Number.parseFloat(height),
        };
      });
      assert.deepEqual(
        Object.values(strip).map(Math.round),
        [box.x, box.y, box.width, box.height].map(Math.round),
        "what the row uncovers is where it stood",
      );
      assert.ok(strip.y >= head.y + head.height - 1, "below the heading");
      await shot(reader, `swipe-${locale}`);
      await touch("touchEnd", 210);
      await eventuallyEquals("the gesture", () => line.getAttribute("data-swipe"), null);
    });
  }
});

test("a wide picture that does not come, and icons beside long titles, keep to their places", async () => {
  const as = await app.user("rows-wide");
  const long =
    "Donaudampfschifffahrtsgesellschaft and everything that was ever said about it, ".repeat(3);
  for (const [mode, width, locale] of [
    ["skim", 1440, "en"],
    ["read", 1440, "ja"],
    ["read", 390, "ja"],
  ] as const) {
    await app.visit({ as, width, locale, height: 900 }, async (reader) => {
      reader.watch.expectStatus(404);
      await reader.page
        .context()
        .route("https://pictures.example/gone/**", (route) => route.fulfill({ status: 404 }));
      // The publisher's picture as wide as photographs are, and neighbours with long titles.
      await reader.page.route(/\/api\/(items\/\d+|feeds\/\d+\/items)(\?|$)/, async (route) => {
        const response = await route.fetch();
        const text = (await response.text())
          .replace('width=\\"320\\" height=\\"200\\"', 'width=\\"2400\\" height=\\"1500\\"')
          .replaceAll('"title":"A title and nothing else"', `"title":"${long}"`)
          .replaceAll('"title":"Nobody knows when"', `"title":"${long}"`);
        await route.fulfill({ response, body: text });
      });
      const { id } = await reader.api.addFeed(app.publisher.url("/feeds/teasers.xml"));
      await reader.open(`/feed/${id}?v=${mode}`);
      const title = "Pictures that do not come";
      await reader.row(title).locator(".title a").click();
      const prose = reader.page.locator(".article-pane .prose");
      await eventuallyEquals("broken images", () => prose.locator(".broken-image").count(), 3);
      const beyond = await prose.evaluate((column) => {
        const edge = column.getBoundingClientRect().right;
        return [...column.querySelectorAll("*")]
          .map((one) => Math.round(one.getBoundingClientRect().right - edge))
          .filter((over) => over > 0);
      });
      assert.deepEqual(beyond, [], `nothing is wider than its column, ${mode}`);
      const icons = () =>
        reader.page
          .locator(".article-end .btn > svg")
          .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
      if (mode === "skim") return;
      assert.ok((await icons()).length > 0);
      assert.deepEqual(new Set(await icons()), new Set([16]), "icons keep their size");
      await reader.page.locator(".article-end").scrollIntoViewIfNeeded();
      await shot(reader, `end-${mode}-${width}-${locale}`);
      await prose.locator(".broken-image").last().scrollIntoViewIfNeeded();
      await shot(reader, `broken-${mode}-${width}-${locale}`);
    });
  }
});
