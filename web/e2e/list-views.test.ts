// The list in its modes and densities: what is the same in all of them, and that nothing moves.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { assertAccessible } from "./harness/axe.ts";
import { eventually, eventuallyEquals } from "./harness/eventually.ts";
import { stubPictures } from "./harness/pictures.ts";
import type { Reader } from "./harness/reader.ts";
import { keepScreenshot } from "./harness/screenshot.ts";

let app: App;
let as: Awaited<ReturnType<App["user"]>>;
let feed: string;
let long: string;

before(async () => {
  app = await startApp();
  as = await app.user("lists");
  await app.visit({ as }, async ({ api }) => {
    feed = (await api.addFeed(app.publisher.url("/feeds/gallery.xml"), "Views")).id;
    await api.addFeed(app.publisher.url("/feeds/nihongo.atom"));
    long = (await api.addFeed(app.publisher.url("/feeds/long.xml"))).id;
    const items = await api.items(feed);
    for (const item of items.slice(1, 3)) await api.setState(item.id, { isRead: true });
    for (const item of items.slice(2, 4)) await api.setState(item.id, { isStarred: true });
  });
});
after(() => app?.close());

const settings = (reader: Reader, patch: object) =>
  reader.api.send("PUT", "/api/user/preferences", patch);
const scroller = (reader: Reader) => reader.page.locator(".list-pane > .scroll");

async function picture(reader: Reader, name: string): Promise<void> {
  await reader.frames(2);
  await keepScreenshot(reader.page, `screens/${name}.png`);
  const over = await reader.page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  assert.equal(over, 0, `${name} is wider than the screen`);
}

const looks = [
  ["skim", "normal"],
  ["skim", "compact"],
  ["read", "normal"],
  ["gallery", "normal"],
] as const;

/** How many excerpts go on below what is visible of them, without dots that say so. */
const hiddenExcerpts = (reader: Reader) =>
  scroller(reader).evaluate(
    (box) =>
      [...box.querySelectorAll(".row")].filter((row) => {
        const end = (name: string) => row.querySelector(name)?.getBoundingClientRect().bottom ?? 0;
        const title = row.querySelector(".title")?.getBoundingClientRect();
        return title && end(".excerpt") > end(".text") + 2 && title.bottom < end(".text") - 10;
      }).length,
  );

for (const [locale, width, height, checked] of [
  ["en", 1440, 900, "light"],
  ["ja", 390, 844, "dark"],
] as const) {
  test(`modes and densities: ${locale}, ${width} wide`, async () => {
    await app.visit({ as, locale, width, height }, async (reader) => {
      await stubPictures(reader.page);
      for (const [view, density] of looks) {
        await settings(reader, { density });
        await reader.open(`/feed/${feed}?v=${view}`);
        await reader.settled();
        await reader.showsNoShift(`${view}, ${density}`);
        if (view === "read")
          assert.equal(await hiddenExcerpts(reader), 0, "excerpts cut without dots");
        for (const scheme of ["light", "dark"] as const) {
          await reader.page.emulateMedia({ colorScheme: scheme });
          const name = `${view}-${density}-${scheme}-${width}-${locale}`;
          await picture(reader, name);
          // Sizes and names are the same in the other scheme; its colours are held against their table in a unit test.
          if (scheme === checked) await assertAccessible(reader.page, name);
        }
        await reader.page.emulateMedia({ colorScheme: "light" });
      }
      await settings(reader, { density: "normal" });
    });
  });
}

// G-17, C-28
test("an item opens in the list: one at a time, its row where it was, and Escape gives the focus back", async () => {
  await app.visit({ as }, async (reader) => {
    await stubPictures(reader.page);
    await settings(reader, { density: "normal" });
    await reader.open(`/feed/${feed}?v=skim`);
    const row = (n: number) => reader.page.locator(`.row[aria-posinset="${n}"]`);
    const top = (n: number) =>
      row(n).evaluate((one) => Math.round(one.getBoundingClientRect().top));
    const opened = reader.page.locator(".list-pane .opened");
    await row(2).locator(".title a").click();
    await reader.page.locator(".opened .prose").waitFor();
    await picture(reader, "inline-open-light-1440-en");
    await assertAccessible(reader.page, "an item open in the list");
    await reader.press("Escape");
    await eventuallyEquals("closed", () => opened.count(), 0);
    await eventuallyEquals("the focus", () => reader.focus(), "a row");
    await reader.frames(20);
    // Further down, so that the list can give way.
    await reader.open(`/feed/${long}?v=skim`);
    await reader.settled();
    await reader.scrollList(700);
    await row(32).locator(".title a").click();
    await reader.page.locator(".opened .prose").waitFor();
    assert.equal(await opened.count(), 1);
    // On to the end of the item, until the next row is in the middle of the screen.
    await scroller(reader).evaluate((box) => {
      const end = box.querySelector(".opened")?.getBoundingClientRect().bottom ?? 0;
      box.scrollBy(0, end - innerHeight / 2);
    });
    await eventuallyEquals("the rows after it", () => row(34).count(), 1);
    await reader.frames(20);
    const before = await top(34);
    assert.ok(before > 400 && before < 700, `row at ${before}`);
    await row(34).locator(".title a").click();
    await reader.page.locator(".opened .prose").waitFor();
    await eventuallyEquals("where the pressed row is", () => top(34), before);
    assert.equal(await opened.count(), 1, "exclusive");
    assert.match(reader.path(), /\/i\/\d+\?v=skim$/);
    await reader.press("Escape");
    await eventuallyEquals("closed", () => opened.count(), 0);
    await eventuallyEquals("the focus", () => reader.focus(), "a row");
    await reader.frames(20);
    const after = await top(34);
    assert.ok(after > 100 && after < 820, `the closed row is in view, at ${after}`);
    await reader.press("j");
    await reader.page.locator(".opened .prose").waitFor();
    const edge = await scroller(reader).evaluate((box) => box.getBoundingClientRect().top);
    await eventually(
      "the next item, from its top",
      () => top(35),
      (y) => y >= edge && y < edge + 60,
    );
    await reader.page.reload();
    await reader.page.locator(".opened .prose").waitFor();
  });
});

test("Skim has 25 rows on a screen, and Space marks them; Stream goes from head to head and marks what has passed", async () => {
  await app.visit({ as: await app.user("modes") }, async (reader) => {
    await stubPictures(reader.page);
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/long.xml"));
    // What is old when a feed is added is read.
    for (const item of (await reader.api.items(id)).slice(20, 32))
      await reader.api.setState(item.id, { isRead: false });
    await reader.open("/all");
    await reader.settled();
    const seen = await scroller(reader).evaluate((box) => {
      const view = box.getBoundingClientRect();
      const rows = [...box.querySelectorAll(".row")].map((row) => row.getBoundingClientRect());
      const title = box.querySelector(".row .title")?.getBoundingClientRect().left ?? 0;
      return {
        whole: rows.filter(({ top, bottom }) => top >= view.top && bottom <= view.bottom).length,
        title: Math.round(title - view.left),
      };
    });
    assert.ok(seen.whole >= 25, `${seen.whole} rows`);
    assert.equal(seen.title, 220);
    await reader.press("Space");
    const items = await eventually(
      "what is read",
      () => reader.api.items(id),
      (now) => now.slice(0, seen.whole).every(({ isRead }) => isRead),
    );
    const passed = items.findIndex(({ isRead }) => !isRead);
    assert.ok(passed >= seen.whole && passed <= seen.whole + 1, `${passed} of ${seen.whole}`);
    await reader.press("3");
    await eventuallyEquals("the address", () => reader.path(), "/all?v=stream");
    const cursor = reader.page.locator(".row[data-cursor]");
    await eventuallyEquals(
      "the head where one was",
      () => cursor.locator(".title a").textContent(),
      items[passed]?.title,
    );
    await reader.page.locator(".opened .prose").first().waitFor();
    await reader.press("j");
    await eventuallyEquals(
      "the next head",
      () => cursor.locator(".title a").textContent(),
      items[passed + 1]?.title,
    );
    const edge = await scroller(reader).evaluate((box) => box.getBoundingClientRect().top);
    await eventually(
      "its place",
      async () => (await cursor.boundingBox())?.y ?? 0,
      (y) => Math.abs(y - edge) <= 2,
    );
    await eventually(
      "the mark of the one before",
      () => reader.api.items(id),
      (now) => now[passed]?.isRead === true && now[passed + 1]?.isRead === false,
    );
    await assertAccessible(reader.page, "Stream");
    await reader.press("Escape");
    await eventuallyEquals("back in Skim", () => reader.path(), "/all?v=skim");
    assert.equal(await cursor.locator(".title a").textContent(), items[passed + 1]?.title);
  });
});

test("panes move on a phone and views fade, but for walking and for those who want no motion", async () => {
  await app.visit({ as, width: 390, height: 844 }, async (reader) => {
    await stubPictures(reader.page);
    const moves = () => reader.page.evaluate(() => (window as unknown as { moves: number }).moves);
    await reader.page.addInitScript(() => {
      const here = window as unknown as { moves: number };
      here.moves = 0;
      const begin = document.startViewTransition.bind(document);
      document.startViewTransition = (update) => {
        here.moves += 1;
        return begin(update);
      };
    });
    const row = reader.page.locator('.row[aria-posinset="2"]');
    const walk = async () => {
      await reader.open(`/feed/${feed}?v=read`);
      await reader.settled();
      await row.locator(".title a").click();
      await eventuallyEquals("the article", () => reader.focus(), "the item's heading");
      const opened = await moves();
      await reader.press("j");
      await eventuallyEquals(
        "the next one",
        () => reader.page.locator('.row[aria-posinset="3"][data-open="true"]').count(),
        1,
      );
      const walked = await moves();
      await reader.press("u");
      await eventuallyEquals("the row that was open", () => reader.focus(), "a row");
      const closed = await moves();
      await reader.choose("List actions", "Gallery");
      await eventuallyEquals(
        "cards",
        () => reader.page.locator('.list-pane[data-look="gallery"]').count(),
        1,
      );
      const looked = await moves();
      await eventually(
        "the end of all movement",
        () => reader.page.evaluate(() => document.documentElement.dataset.move ?? ""),
        (move) => move === "",
      );
      return [opened, walked, closed, looked];
    };
    assert.deepEqual(await walk(), [0, 0, 0, 0], "no motion is wanted");
    await reader.page.emulateMedia({ reducedMotion: "no-preference" });
    assert.deepEqual(await walk(), [1, 1, 2, 3]);
  });
});
