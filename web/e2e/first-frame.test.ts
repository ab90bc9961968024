// What is painted before the program and its styles are there: the frame where it will be, and nothing moves afterwards.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type App, startApp } from "./harness/app.ts";
import { eventually, eventuallyEquals } from "./harness/eventually.ts";

let app: App;
let owner: Awaited<ReturnType<App["owner"]>>;

before(async () => {
  app = await startApp({ samples: true });
  owner = await app.owner();
});
after(() => app?.close());

/** Holds scripts and styles back until it is called. */
async function holdAssets(page: Page): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/assets/**", async (route) => {
    await promise;
    await route.continue();
  });
  return async () => {
    resolve();
    await page.unrouteAll({ behavior: "wait" });
  };
}

/** Opens an address without its assets, and waits for the first paint. */
async function paint(page: Page, address: string): Promise<void> {
  await page.goto(address, { waitUntil: "commit" });
  await eventually(
    "the first paint",
    () => page.evaluate(() => performance.getEntriesByName("first-contentful-paint").length),
    (seen) => seen > 0,
  );
}

/** Left, top, right and bottom of what is seen. */
function box(page: Page, selector: string): Promise<number[] | null> {
  return page.evaluate((one) => {
    const found = document.querySelector(one);
    if (!found?.checkVisibility({ visibilityProperty: true })) return null;
    const { left, top, right, bottom } = found.getBoundingClientRect();
    return [left, top, right, bottom];
  }, selector);
}

const ground = (page: Page) =>
  page.evaluate(() => [
    document.documentElement.lang,
    getComputedStyle(document.querySelector(".app") as Element).backgroundColor,
  ]);

const grounds = { light: "rgb(245, 247, 251)", dark: "rgb(11, 14, 21)" };

/** Looked at in one language and theme. */
const others = [
  ["/settings/display", ".settings"],
  ["/all", null],
] as const;

for (const width of [1440, 1024, 768, 390]) {
  for (const [locale, scheme] of [
    ["en", "light"],
    ["ja", "dark"],
  ] as const) {
    test(`the first frame stays where it is: ${width} wide, ${locale}, ${scheme}`, async () => {
      await app.visit({ as: owner, width, height: 844, locale, scheme }, async (reader) => {
        const { page, base } = reader;
        // As on a device where somebody was signed in before.
        await page.addInitScript(() => localStorage.setItem("ruri.user", "1"));
        const item = await reader.api.item("The Quiet Web", "A small table of feed formats");
        for (const [path, sheet] of [
          ["/", ".list-pane"],
          ...(locale === "en" ? others : []),
          // Where there is room for its list, an article that opens in it moves that.
          ...(width < 768 ? ([[`/all/i/${item.id}`, null]] as const) : []),
        ] as const) {
          const release = await holdAssets(page);
          await paint(page, base + path);
          assert.deepEqual(await ground(page), [locale, grounds[scheme]], `${path}: the theme`);
          const first = {
            sheet: await box(page, ".first-sheet"),
            tabs: await box(page, ".tabbar"),
            name: await box(page, ".first .logo"),
          };
          assert.ok(first.name, `${path}: the name`);
          assert.equal(first.sheet !== null, sheet !== null, `${path}: the sheet`);
          assert.equal(first.tabs !== null, width < 768, `${path}: the bar of phones`);
          await release();
          await page.locator(".first").waitFor({ state: "detached" });
          await page
            .locator(":is(.today, .settings main, .row, .prose)")
            .filter({ visible: true })
            .first()
            .waitFor();
          await reader.settled();
          if (sheet) assert.deepEqual(await box(page, sheet), first.sheet, `${path}: the sheet`);
          if (width < 768) assert.deepEqual(await box(page, ".tabbar"), first.tabs, path);
          if (width === 1440)
            assert.deepEqual(await box(page, ".side .logo"), first.name, `${path}: the name`);
          assert.deepEqual(await ground(page), [locale, grounds[scheme]], `${path}: the theme`);
          await reader.showsNoShift(path);
        }
      });
    });
  }
}

test("who was never signed in here sees the name alone, and so does who is about to sign in", async () => {
  await app.visit({ as: null, width: 390 }, async (reader) => {
    const { page, base } = reader;
    reader.watch.expectStatus(401);
    for (const [path, user] of [
      ["/", null],
      ["/login", "1"],
    ] as const) {
      if (user) await page.evaluate((id) => localStorage.setItem("ruri.user", id), user);
      const release = await holdAssets(page);
      await paint(page, base + path);
      assert.ok(await box(page, ".first .logo"), path);
      assert.deepEqual([await box(page, ".first-sheet"), await box(page, ".tabbar")], [null, null]);
      await release();
      await page.locator(".login main").waitFor();
    }
  });
});

test("without the storage of a browser the page has its first frame and its list", async () => {
  await app.visit({ as: owner }, async (reader) => {
    const { page, base } = reader;
    await page.addInitScript(() =>
      Object.defineProperty(window, "localStorage", {
        get: () => {
          throw new DOMException("forbidden", "SecurityError");
        },
      }),
    );
    const release = await holdAssets(page);
    await paint(page, `${base}/all`);
    assert.ok(await box(page, ".first .logo"));
    await release();
    await reader.rows().first().waitFor();
    await eventuallyEquals("the first frame", () => page.locator(".first").count(), 0);
  });
});
