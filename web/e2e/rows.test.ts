// What stands in a list and in an item keeps to its place: a row under a finger, a picture that does not come, icons
// beside long titles; and how the list looks is kept where a person chose it.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { settles } from "./harness/eventually.ts";
import { inBothThemes } from "./harness/look.ts";
import { artifacts } from "./harness/places.ts";
import type { Reader } from "./harness/reader.ts";
import { openWorld, type World } from "./harness/world.ts";

const screens = join(artifacts, "rows");

let world: World;

before(async () => {
  await mkdir(screens, { recursive: true });
  world = await openWorld();
});
after(() => world?.close());

const shot = (reader: Reader, name: string) =>
  inBothThemes(reader, async (scheme) => {
    await reader.frames(2);
    await reader.page.screenshot({ path: join(screens, `${name}-${scheme}.png`) });
  });

test("a row that a finger draws leaves the heading of its day as it is", async () => {
  const as = await world.user("finger@example.org");
  for (const [locale, view] of [
    ["en", "list"],
    ["ja", "card"],
  ] as const) {
    await world.visit({ as, locale, width: 390, height: 844 }, async (reader) => {
      const { id } = await reader.api.addFeed(world.publisher.url("/feeds/plain.xml"));
      await reader.open(`/feed/${id}?v=${view}`);
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
      await settles("the gesture", () => line.getAttribute("data-swipe"), "star");
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
      await shot(reader, `swipe-${view}-${locale}`);
      await touch("touchEnd", 210);
      await settles("the gesture", () => line.getAttribute("data-swipe"), null);
    });
  }
});

test("a wide picture that does not come, and icons beside long titles, keep to their places", async () => {
  const as = await world.user("wide@example.org");
  const long =
    "Donaudampfschifffahrtsgesellschaft and everything that was ever said about it, ".repeat(3);
  for (const [layout, width, locale] of [
    ["inline", 1440, "en"],
    ["split", 1440, "ja"],
    ["auto", 390, "ja"],
  ] as const) {
    await world.visit({ as, width, locale, height: 900 }, async (reader) => {
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
      const { id } = await reader.api.addFeed(world.publisher.url("/feeds/teasers.xml"));
      await reader.api.send("PUT", "/api/user/preferences", { layout });
      await reader.open(`/feed/${id}`);
      const title = "Pictures that do not come";
      await reader.row(title).locator(".title a").click();
      const prose = reader.page.locator(".article-pane .prose");
      await settles("broken images", () => prose.locator(".broken-image").count(), 3);
      const beyond = await prose.evaluate((column) => {
        const edge = column.getBoundingClientRect().right;
        return [...column.querySelectorAll("*")]
          .map((one) => Math.round(one.getBoundingClientRect().right - edge))
          .filter((over) => over > 0);
      });
      assert.deepEqual(beyond, [], `nothing is wider than its column, ${layout}`);
      const icons = () =>
        reader.page
          .locator(".article-end .btn > svg")
          .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
      assert.ok((await icons()).length > 0);
      assert.deepEqual(new Set(await icons()), new Set([16]), "icons keep their size");
      await reader.page.locator(".article-end").scrollIntoViewIfNeeded();
      await shot(reader, `end-${layout}-${width}-${locale}`);
      await prose.locator(".broken-image").last().scrollIntoViewIfNeeded();
      await shot(reader, `broken-${layout}-${width}-${locale}`);
    });
  }
});

test("a view in an address is for that visit; one that is chosen is kept for all lists", async () => {
  const as = await world.user("viewer@example.org");
  await world.visit({ as }, async (reader) => {
    const { id } = await reader.api.addFeed(world.publisher.url("/feeds/plain.xml"));
    const podcast = await reader.api.addFeed(world.publisher.url("/feeds/podcast.xml"));
    const look = () => reader.page.locator(".list-pane").getAttribute("data-look");
    const kept = async () =>
      (await reader.api.get<{ defaultView: string }>("/api/user/preferences")).defaultView;
    await reader.open(`/feed/${id}?v=card`);
    assert.equal(await look(), "card");
    await reader.settled();
    await reader.press("Shift+J");
    await settles("the address", () => reader.path(), `/feed/${podcast.id}`);
    await settles("the look of the next list", look, "list");
    await reader.open("/all");
    assert.deepEqual([await look(), await kept()], ["list", "list"]);

    await reader.open(`/feed/${id}?v=card`);
    await reader.settled();
    await reader.choose("View", "Magazine");
    await settles("the look", look, "magazine");
    assert.equal(reader.path(), `/feed/${id}`);
    await settles("the setting", kept, "magazine");
    await reader.open("/all");
    assert.equal(await look(), "magazine");
    await reader.page.keyboard.press("Shift+Digit1");
    await settles("the look", look, "list");
    await settles("the setting", kept, "list");
  });
});
