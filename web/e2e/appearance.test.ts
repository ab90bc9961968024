// The main screens between wide and phone, and what people choose of looks: theme, language, type. All screens, wide and
// on a phone: screens.test.ts and screens-phone.test.ts.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { message } from "./harness/catalog.ts";
import { eventuallyEquals } from "./harness/eventually.ts";
import { assertPresentable } from "./harness/presentable.ts";
import type { Reader } from "./harness/reader.ts";
import { keepScreenshot } from "./harness/screenshot.ts";

let app: App;
let owner: Awaited<ReturnType<App["owner"]>>;

before(async () => {
  app = await startApp({ samples: true });
  owner = await app.owner();
  await app.visit({ as: owner }, async ({ api, watch }) => {
    watch.expectStatus(422);
    await api.addFeed(app.publisher.url("/feeds/rich.xml"), "Tests");
    for (const [feed, title] of [
      ["The Quiet Web", "How a polite reader asks"],
      ["紙と画面のあいだ", "余白という句読点"],
    ] as const) {
      const item = await api.item(feed, title);
      await api.setState(item.id, { isRead: true, isStarred: true });
    }
  });
});
after(() => app?.close());

const articles = {
  en: ["The Quiet Web", "A small table of feed formats"],
  ja: ["紙と画面のあいだ", "行の長さは、呼吸の長さ"],
} as const;

for (const [locale, scheme] of [
  ["en", "light"],
  ["ja", "dark"],
] as const) {
  const device = { locale, scheme, width: 768, height: 1024 };
  test(`screens: ${locale}, ${scheme}, ${device.width} wide`, async () => {
    const look = (reader: Reader, name: string) => assertPresentable(reader, name, device);
    await app.visit({ as: owner, ...device }, async (reader) => {
      reader.watch.expectStatus(422);
      await reader.open("/all");
      await look(reader, "list");
      const cut = await reader.page
        .locator(".list-pane h1")
        .evaluate((name) => name.scrollWidth - name.clientWidth);
      assert.equal(cut, 0, "the list's name can be read");
      const [feed, title] = articles[locale];
      const item = await reader.api.item(feed, title);
      await reader.page.goto(`${app.backend.base}/feed/${item.feedId}/i/${item.id}`);
      await reader.articleShows(title);
      await eventuallyEquals(
        "the mark",
        async () => (await reader.api.item(feed, title)).isRead,
        true,
      );
      await look(reader, "article");
      await reader.open("/starred");
      await look(reader, "starred");
      await reader.open(`/feed/${item.feedId}?f=starred`);
      await reader.page.keyboard.press("a");
      await reader.dialog().waitFor();
      await look(reader, "add");
      await reader.dialog().locator("input[type=url]").fill("http://no-such-site.invalid/");
      await reader.dialog().locator("button[type=submit]").click();
      await reader.dialog().getByRole("alert").waitFor();
      await look(reader, "add-error");
      await reader.page.keyboard.press("Escape");
      await eventuallyEquals("the dialog", () => reader.dialog().count(), 0);
      await reader.page.keyboard.press("?");
      await reader.dialog().waitFor();
      await look(reader, "help");
    });
    await app.visit({ as: null, ...device }, async (reader) => {
      reader.watch.expectStatus(401);
      await reader.page.goto(`${app.backend.base}/login`);
      await reader.page.locator("#email").waitFor();
      await look(reader, "login");
    });
  });
}

/** Nothing is wider than the screen. */
async function fitsIn(reader: Reader, where: string): Promise<void> {
  const over = await reader.page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  assert.equal(over, 0, `${where} is wider than the screen`);
}

// G-14
test("dark is chosen in the menu and kept; the system decides again when asked to", async () => {
  await app.visit({ as: owner }, async (reader) => {
    const theme = () => reader.page.evaluate(() => document.documentElement.dataset.theme);
    const ground = () =>
      reader.page.evaluate(
        () =>
          getComputedStyle(document.querySelector(".list-pane") ?? document.body).backgroundColor,
      );
    await reader.open("/all");
    assert.equal(await theme(), "light");
    const bright = await ground();
    await reader.choose("Settings", "Dark");
    await eventuallyEquals("the theme", theme, "dark");
    assert.notEqual(await ground(), bright);
    await reader.page.reload();
    await reader.rows().first().waitFor();
    assert.equal(await theme(), "dark");
    await reader.choose("Settings", "System");
    await eventuallyEquals("the theme", theme, "light");
    await reader.page.emulateMedia({ colorScheme: "dark" });
    await eventuallyEquals("the theme follows the system", theme, "dark");
    await reader.page.emulateMedia({ colorScheme: "light" });
    await eventuallyEquals("the theme follows the system", theme, "light");
    await reader.page.keyboard.press("Escape");
    await eventuallyEquals("the menu", () => reader.page.getByRole("menu").count(), 0);
    await reader.press("t");
    await eventuallyEquals("the theme by its key", theme, "dark");
  });
});

test("the language is chosen in the menu, changes every word and is kept", async () => {
  await app.visit({ as: owner }, async (reader) => {
    await reader.open("/all");
    await reader.choose("Settings", "日本語");
    await eventuallyEquals(
      "the heading",
      () => reader.page.locator(".list-pane h1").textContent(),
      message("ja", "All articles"),
    );
    assert.equal(await reader.page.evaluate(() => document.documentElement.lang), "ja");
    await reader.page.reload();
    await eventuallyEquals(
      "the heading",
      () => reader.page.locator(".list-pane h1").textContent(),
      message("ja", "All articles"),
    );
    // Titles and bodies keep their own language.
    const lang = (title: string) =>
      reader
        .row(title)
        .locator(".title")
        .evaluate((one) => one.closest<HTMLElement>("[lang]")?.lang);
    assert.equal(await lang("Why feeds still matter"), "en");
    assert.equal(await lang("ようこそ、瑠璃リーダーへ"), "ja");
    await reader.choose(message("ja", "Settings"), "English");
    await eventuallyEquals(
      "the heading",
      () => reader.page.locator(".list-pane h1").textContent(),
      "All articles",
    );
  });
});

test("a Japanese and an English article are set as their languages want", async () => {
  await app.visit({ as: owner }, async (reader) => {
    const measured: Record<string, { lang: string; characters: number; leading: number }> = {};
    for (const [name, [feed, title]] of Object.entries(articles)) {
      const item = await reader.api.item(feed, title);
      await reader.page.goto(`${app.backend.base}/feed/${item.feedId}/i/${item.id}`);
      await reader.articleShows(title);
      measured[name] = await reader.page.locator(".prose").evaluate((body) => {
        const style = getComputedStyle(body);
        const size = Number.parseFloat(style.fontSize);
        return {
          lang: body.getAttribute("lang") ?? "",
          characters: body.clientWidth / size,
          leading: Math.round((Number.parseFloat(style.lineHeight) / size) * 100) / 100,
        };
      });
    }
    assert.equal(measured.ja?.lang, "ja");
    assert.equal(measured.en?.lang, "en");
    assert.equal(measured.ja?.leading, 1.85);
    assert.equal(measured.en?.leading, 1.6);
    const { characters } = measured.ja ?? { characters: 0 };
    assert.ok(characters >= 36 && characters <= 44, `${characters} characters in a Japanese line`);
  });
});

for (const [width, height] of [
  [1440, 900],
  [390, 844],
] as const) {
  test(`texts from right to left are set so, the page stays as it is: ${width} wide`, async () => {
    const as = await app.user(`rtl-${width}`);
    await app.visit({ as, width, height }, async (reader) => {
      const { id } = await reader.api.addFeed(app.publisher.url("/feeds/rtl.xml"));
      await reader.open(`/feed/${id}`);
      const set = (selector: string) =>
        reader.page
          .locator(selector)
          .first()
          .evaluate((one) => [
            getComputedStyle(one).direction,
            one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).textOverflow === "clip",
          ]);
      const right = ["rtl", false];
      const left = ["ltr", false];
      for (const part of [".list-pane h1", ".row h2", ".row .meta > .feed"])
        assert.deepEqual(await set(part), right, part);
      assert.deepEqual(await set(".row .meta"), left);
      assert.deepEqual(await set('.side-link[data-kind="feed"] .name'), right);
      await keepScreenshot(reader.page, `screens/rtl-list-${width}.png`);
      await fitsIn(reader, "the list");

      await reader.row("מחשבות על קריאה").waitFor();
      await reader.page.locator(".row .title a", { hasText: "القراءة" }).click();
      await reader.articleShows("القراءة");
      for (const part of [".article .title", ".article .prose", ".article .prose li"])
        assert.deepEqual(await set(part), right, part);
      for (const part of [".article > .meta", ".prose code", ".prose pre", "main", "html"])
        assert.deepEqual(await set(part), left, part);
      await keepScreenshot(reader.page, `screens/rtl-article-${width}.png`);
      await fitsIn(reader, "the article");

      const { items } = await reader.api.get<{ items: { id: string; title: string }[] }>(
        `/api/feeds/${id}/items`,
      );
      const english = items.find(({ title }) => title === "A quotation");
      await reader.page.goto(`${app.backend.base}/feed/${id}/i/${english?.id}`);
      await reader.articleShows("A quotation");
      assert.deepEqual(await set(".prose"), left);
      assert.deepEqual(await set('.prose p[dir="rtl"]'), right, "the publisher's own word holds");
    });
  });
}

test("on a phone there is one pane with a bar at the thumb; an item opens, and back returns to its place", async () => {
  const as = await app.user("phone");
  await app.visit({ as, width: 390, height: 844 }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/long.xml"));
    const shown = () =>
      reader.page.evaluate(() =>
        [".side", ".list-pane", ".article-pane"].filter((pane) =>
          document.querySelector(pane)?.checkVisibility({ visibilityProperty: true }),
        ),
      );
    const bar = reader.page.locator("nav.tabbar");
    await reader.open("/all");
    await bar.getByRole("button").first().waitFor(); // its place is there before it
    assert.deepEqual(await shown(), [".list-pane"]);
    const box = await bar.boundingBox();
    assert.ok(
      box && Math.round(box.y + box.height) === 844 && box.height >= 56,
      "the bar is at the bottom",
    );

    await bar.getByRole("button", { name: "Feeds" }).tap();
    await eventuallyEquals("the panes", shown, [".side"]);
    await reader.side("The Long List").tap();
    await eventuallyEquals("the panes", shown, [".list-pane"]);
    assert.equal(reader.path(), `/feed/${id}`);

    await reader.row("Entry 120 of the long list").waitFor();
    // The head lies over the list, which begins below it.
    const [head, rows] = await reader.page.evaluate(() =>
      [".list-pane .pane-head", ".list-pane .scroll [role=feed]"].map((part) => {
        const { height, bottom, top } = document.querySelector(part)?.getBoundingClientRect() ?? {
          height: 0,
          bottom: 0,
          top: 0,
        };
        return { height, bottom, top };
      }),
    );
    assert.equal(head?.height, 48, "the head's height");
    assert.ok(head && rows && rows.top >= head.bottom, JSON.stringify([head, rows]));
    const scroller = reader.page.locator(".list-pane > .scroll");
    await reader.scrollList(1_200);
    await eventuallyEquals("the rows", () => reader.row("Entry 103 of the long list").count(), 1);
    const top = await scroller.evaluate((list) => list.scrollTop);
    await reader.row("Entry 103 of the long list").locator(".title a").tap();
    await reader.articleShows("Entry 103 of the long list");
    await eventuallyEquals("the panes", shown, [".article-pane"]);
    await eventuallyEquals(
      "the focus is on the heading",
      () => reader.focus(),
      "the item's heading",
    );

    await bar.getByRole("button", { name: "Star" }).tap();
    await eventuallyEquals(
      "the star",
      async () => (await reader.api.items(null, "starred")).length,
      1,
    );
    await bar.getByRole("button", { name: "Next" }).tap();
    await reader.articleShows("Entry 102 of the long list");
    await bar.getByRole("button", { name: "Back" }).tap();
    await eventuallyEquals("the panes", shown, [".list-pane"]);
    await eventuallyEquals("the place", () => scroller.evaluate((list) => list.scrollTop), top);
    await eventuallyEquals("the focus", () => reader.focus(), "a row");

    await reader.row("Entry 103 of the long list").locator(".title a").tap();
    await eventuallyEquals("the panes", shown, [".article-pane"]);
    await reader.page.goBack();
    await eventuallyEquals("the panes after the system's back", shown, [".list-pane"]);
    await eventuallyEquals("the place", () => scroller.evaluate((list) => list.scrollTop), top);
    await reader.page.goBack();
    await eventuallyEquals("nothing of the first item is left", () => reader.path(), "/all");
  });
});
