// The article: how it is set, what can be done with it, and what it says when something of it is missing.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator } from "playwright-core";
import { type App, startApp } from "./harness/app.ts";
import { assertAccessible } from "./harness/axe.ts";
import { type Locale, message } from "./harness/catalog.ts";
import { eventuallyEquals, tick } from "./harness/eventually.ts";
import { stubPictures } from "./harness/pictures.ts";
import type { Reader } from "./harness/reader.ts";
import { keepScreenshot } from "./harness/screenshot.ts";
import { stubSound } from "./harness/sound.ts";

let app: App;

before(async () => {
  app = await startApp();
});
after(() => app?.close());

const prose = (reader: Reader): Locator => reader.page.locator(".article-pane .prose").last();

async function open(reader: Reader, feed: string, title: string): Promise<string> {
  const { id } = await reader.api.addFeed(app.publisher.url(feed));
  await reader.open(`/feed/${id}`);
  await reader.openRow(title);
  return id;
}

async function shot(reader: Reader, name: string): Promise<void> {
  await keepScreenshot(reader.page, `screens/article-${name}.png`);
}

const look = (reader: Reader) =>
  prose(reader).evaluate((element) => {
    const style = getComputedStyle(element);
    const article = element.closest(".article") as HTMLElement;
    const em = Number.parseFloat(style.fontSize);
    return {
      size: em,
      leading: Math.round((Number.parseFloat(style.lineHeight) / em) * 100) / 100,
      measure: Math.round((Number.parseFloat(getComputedStyle(article).maxWidth) - 48) / em),
      font: getComputedStyle(element.querySelector("p") as Element).fontFamily.split(",")[0],
    };
  });

test("the type is set as one likes, at once, and stays so", async () => {
  const as = await app.user("type");
  await app.visit({ as }, async (reader) => {
    await open(reader, "/feeds/plain.xml", "A walk at noon");
    assert.deepEqual(await look(reader), {
      size: 18,
      leading: 1.6,
      measure: 33,
      font: "system-ui",
    });
    await reader.page.getByRole("button", { name: "Text settings", exact: true }).click();
    const panel = reader.page.getByRole("dialog", { name: "Text settings" });
    const choose = (group: string, name: string) =>
      panel
        .getByRole("group", { name: group, exact: true })
        .getByRole("button", { name, exact: true })
        .click();
    await choose("Font", "Serif");
    await choose("Line height", "1.85");
    await choose("Line length", "Long");
    await choose("Text size", "Larger text");
    await eventuallyEquals("the type", () => look(reader), {
      size: 19.5,
      leading: 1.85,
      measure: 40,
      font: '"Hiragino Mincho ProN"',
    });
    await assertAccessible(reader.page, "the panel of types");
    await shot(reader, "type");
    await reader.page.keyboard.press("Escape");
    await eventuallyEquals("the panel", () => panel.count(), 0);
    assert.match(await reader.focus(), /^button/);

    // They are sent one after the other; what was still to be sent would go with the page.
    const kept = async () => {
      const all = await reader.api.get<Record<string, unknown>>("/api/user/preferences");
      return [all.readingFont, all.lineHeight, all.measure, all.textStep];
    };
    await eventuallyEquals("what is kept", kept, ["mincho", "1.85", "wide", 1]);
    await reader.page.reload();
    await reader.articleShows("A walk at noon");
    await eventuallyEquals(
      "the size after coming back",
      async () => (await look(reader)).size,
      19.5,
    );
    await reader.row("A walk at noon").focus();
    for (const key of ["-", "-", "+", "0"]) await reader.press(key);
    await eventuallyEquals("the size by keys", async () => (await look(reader)).size, 18);
  });
});

test("Japanese is set as Japanese", async () => {
  const as = await app.user("ja-type");
  await app.visit({ as, locale: "ja" }, async (reader) => {
    await open(reader, "/feeds/nihongo.atom", "三十五年目の万年筆");
    const { size, leading, measure } = await look(reader);
    assert.deepEqual([size, leading, measure], [17, 1.85, 38]);
    await reader.page.getByText("読了 約1分").waitFor();
    await reader.page.getByRole("button", { name: "文字の設定", exact: true }).click();
    await reader.page.getByRole("button", { name: "明朝", exact: true }).click();
    await eventuallyEquals(
      "the font",
      async () => (await look(reader)).font,
      '"Hiragino Mincho ProN"',
    );
    await shot(reader, "ja-type");
  });
});

test("the whole text comes on demand, and goes again", async () => {
  const as = await app.user("full");
  await app.visit({ as }, async (reader) => {
    await open(reader, "/feeds/teasers.xml", "The slow train to the coast");
    await reader.page.getByRole("list", { name: "Tags" }).getByText("trains").waitFor();
    await reader.page.getByRole("button", { name: "Load full article" }).click();
    await prose(reader).getByText("The line follows the river down").first().waitFor();
    await reader.page.getByText("4 min read").waitFor();
    assert.equal(await reader.focus(), "the item's heading");
    await assertAccessible(reader.page, "the whole text");
    await shot(reader, "full-text");
    await reader.page.getByRole("button", { name: "Back to feed text" }).click();
    await prose(reader).getByText("The first lines of a longer story.").waitFor();
    assert.equal(await reader.focus(), "the item's heading");

    await reader.openRow("A story in a file");
    await reader.choose("More actions", "Full article");
    await reader.page.getByText("The article's link does not lead to a web page.").waitFor();
    await prose(reader).getByText("The page of this one is no page.").waitFor();
    await shot(reader, "full-text-refused");
  });
});

test("until its code is there, an item shows its heading where it will stay", async () => {
  const as = await app.user("skeleton");
  await app.visit({ as, width: 390, height: 844 }, async (reader) => {
    const { promise: held, resolve: go } = Promise.withResolvers<void>();
    await reader.page.route("**/assets/article-pane-*.js", async (route) => {
      await held;
      await route.continue();
    });
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await reader.open(`/feed/${id}`);
    await reader.row("Two kinds of quiet").locator(".title a").click();
    const heading = reader.page.locator(".article-pane h1", { hasText: "Two kinds of quiet" });
    await heading.waitFor();
    assert.equal(await reader.page.locator(".article-pane").getAttribute("aria-busy"), "true");
    await eventuallyEquals("the focus", () => reader.focus(), "the item's heading");
    const before = await heading.boundingBox();
    await reader.forgetShifts();
    go();
    await reader.articleShows("Two kinds of quiet");
    assert.deepEqual(await heading.boundingBox(), before);
    await eventuallyEquals("the focus", () => reader.focus(), "the item's heading");
    await reader.showsNoShift("an item whose code came late");
    await reader.page.unrouteAll({ behavior: "wait" });
  });
});

test("what is missing is said", async () => {
  const as = await app.user("missing");
  await app.visit({ as }, async (reader) => {
    const id = await open(reader, "/feeds/teasers.xml", "A story in a file");
    await reader.row("A title and nothing else").locator(".title a").click();
    await reader.page.getByText("This article has no text.").waitFor();
    await shot(reader, "no-body");
    await reader.openRow("Nobody knows when");
    await reader.page
      .locator(".article .meta")
      .getByText("estimated; no publication date")
      .waitFor();
    assert.equal(await reader.page.locator(".bookmarks").count(), 0);

    const items = await reader.api.items(id);
    const teaser = items.find((item) => item.title === "A story in a file");
    assert.ok(teaser);
    const answer = (state: string) =>
      reader.page.route(`**/api/items/${teaser.id}`, async (route) => {
        const response = await route.fetch();
        const { item } = await response.json();
        await route.fulfill({
          response,
          json: { item: { ...item, contentHtml: "", contentState: state } },
        });
      });
    for (const [state, words] of [
      ["notKept", "The text of this article is no longer stored."],
      ["failed", "The text could not be read from the feed."],
    ] as const) {
      await answer(state);
      await reader.page.goto(`${app.backend.base}/feed/${id}/i/${teaser.id}`);
      await reader.page.getByText(words).waitFor();
      await reader.page.unrouteAll({ behavior: "wait" });
    }
    reader.watch.expectStatus(404);
    await reader.page.goto(`${app.backend.base}/feed/${id}/i/999999999`);
    await reader.page
      .getByRole("heading", { name: "This article is no longer available" })
      .waitFor();
    await reader.page.locator(".article-pane").getByRole("link", { name: "Back to list" }).click();
    await eventuallyEquals("the address", () => reader.path(), `/feed/${id}`);
  });
});

test("what comes late does not ask again for an item that is gone", async () => {
  const as = await app.user("gone");
  await app.visit({ as, width: 390, height: 844 }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    reader.watch.expectStatus(404);
    let asked = 0;
    reader.page.on("request", (request) => {
      if (request.url().endsWith("/api/items/999999999")) asked += 1;
    });
    const { promise: held, resolve: go } = Promise.withResolvers<void>();
    await reader.page.route("**/assets/tab-bar-*.js", async (route) => {
      await held;
      await route.continue();
    });
    await reader.page.goto(`${app.backend.base}/feed/${id}/i/999999999`);
    const heading = reader.page.getByRole("heading", {
      name: "This article is no longer available",
    });
    await heading.waitFor();
    const before = asked;
    await heading.evaluate((one) => one.setAttribute("data-same", ""));
    go();
    await reader.page.locator(".tabbar button").first().waitFor();
    await reader.quiet();
    assert.equal(asked, before);
    assert.equal(await heading.getAttribute("data-same"), "");
    await reader.page.unrouteAll({ behavior: "wait" });
  });
});

test("without a connection an item says so, and comes when there is one again", async () => {
  const as = await app.user("cut");
  await app.visit({ as }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await reader.loadsNothingAhead();
    await reader.open(`/feed/${id}`);
    await reader.openRow("A walk at noon");
    reader.watch.expect(/ERR_INTERNET_DISCONNECTED/);
    await reader.page.context().setOffline(true);
    await reader.row("Letters not sent").locator(".title a").click();
    await reader.page.locator(".article-pane .note[data-kind=warn]").waitFor();
    await shot(reader, "offline");
    await reader.page.context().setOffline(false);
    await reader.articleShows("Letters not sent");
  });
});

test("from its end one goes on to the next, and back to the list in one step", async () => {
  const as = await app.user("on");
  await app.visit({ as }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await reader.open(`/feed/${id}`);
    const [first, second] = await reader.titles();
    assert.ok(first && second);
    await reader.openRow(first);
    const ways = reader.page.getByRole("navigation", { name: "Previous and next articles" });
    await ways.getByRole("link", { name: second }).click();
    await reader.articleShows(second);
    await eventuallyEquals("the focus", () => reader.focus(), "the item's heading");
    await ways.getByRole("link", { name: first }).click();
    await reader.articleShows(first);
    await reader.page.goBack();
    await eventuallyEquals("the address", () => reader.path(), `/feed/${id}`);
  });
});

test("images are shown, hidden, and leave a line when they do not come", async () => {
  const as = await app.user("images");
  await app.visit({ as }, async (reader) => {
    reader.watch.expectStatus(404);
    const measured = Promise.withResolvers<void>();
    await reader.page.context().route("https://pictures.example/gone/**", async (route) => {
      await measured.promise;
      await reader.page.waitForTimeout(600); // beyond the time in which the page may move after a click
      await route.fulfill({ status: 404 });
    });
    await open(reader, "/feeds/teasers.xml", "Pictures that do not come");
    const boxes = await prose(reader)
      .locator("img")
      .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().height)));
    measured.resolve();
    assert.equal(boxes[0], boxes[1]);
    assert.equal(boxes[2], 200);
    assert.ok((boxes[0] ?? 0) > 300, `a box of 16:9 while it may come, not ${boxes[0]}`);
    await eventuallyEquals(
      "broken images",
      () => prose(reader).locator(".broken-image").count(),
      3,
    );
    assert.equal(await prose(reader).locator("img").count(), 0);
    const lines = await prose(reader)
      .locator(".broken-image")
      .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().height)));
    for (const height of lines) assert.ok(height > 0 && height < 40, `one line, not ${height}`);
    const where = await prose(reader).locator("a.broken-image").first().getAttribute("href");
    assert.match(where ?? "", /^https:\/\/pictures\.example\/gone\//);
    // What moved up is meant to: forgotten before the visit's end asks.
    await reader.forgetShifts();
    await shot(reader, "broken");

    await reader.press("i");
    await eventuallyEquals("images", () => prose(reader).locator("img").count(), 0);
    await prose(reader).getByText("A lost picture").waitFor();
    assert.equal(await prose(reader).getByText("Image unavailable").count(), 0);
    await shot(reader, "no-images");
    await reader.page.locator(".images-off").getByRole("button", { name: "Show images" }).click();
    await eventuallyEquals("images", () => prose(reader).locator("img").count(), 3);
    // Each is asked for anew; an answer that came after the visit's end would be a refusal nobody expects.
    await eventuallyEquals(
      "broken images",
      () => prose(reader).locator(".broken-image").count(),
      3,
    );
  });
});

test("what is read stays where it is while type and images change", async () => {
  const as = await app.user("place");
  await app.visit({ as }, async (reader) => {
    await stubPictures(reader.page);
    await open(reader, "/feeds/rich.xml", "Sixty pictures of unknown size");
    const scroller = reader.page.locator(".article-pane > .scroll");
    await scroller.evaluate((box) => box.scrollTo(0, 6_000));
    await reader.frames(3);
    const first = () =>
      scroller.evaluate((box) => {
        const top = box.getBoundingClientRect().top;
        return [...box.querySelectorAll(".prose > p")].findIndex(
          (one) => one.getBoundingClientRect().bottom > top + 1,
        );
      });
    const seen = await first();
    assert.ok(seen > 10);
    for (const key of ["+", "+", "i", "i", "0"]) {
      await reader.press(key);
      await reader.frames(3);
      assert.equal(await first(), seen, `the first paragraph after ${key}`);
    }
  });
});

test("an item is sent on: its link, Hatena, mail, a place of one's own", async () => {
  const as = await app.user("share");
  await app.visit({ as }, async (reader) => {
    await reader.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await open(reader, "/feeds/plain.xml", "A walk at noon");
    const { link } = await reader.api.item("Plain Notes", "A walk at noon");
    await reader.choose("More actions", "Copy link");
    await reader.toast("Link copied").waitFor();
    assert.equal(await reader.page.evaluate(() => navigator.clipboard.readText()), link);

    // By keys alone.
    const button = reader.page.getByRole("button", { name: "More actions" });
    await button.focus();
    await reader.page.keyboard.press("Enter");
    const entry = (name: string | RegExp) => reader.page.getByRole("menuitem", { name });
    await entry("Hatena Bookmark").waitFor();
    assert.equal(
      new URL((await entry("Hatena Bookmark").getAttribute("href")) ?? "").searchParams.get("url"),
      link,
    );
    assert.match(
      (await entry("Send by email").getAttribute("href")) ?? "",
      /^mailto:\?subject=A%20walk/,
    );
    await assertAccessible(reader.page, "the menu of an item");
    await shot(reader, "more");
    const atCustom = entry("Custom share target…").and(reader.page.locator(":focus"));
    for (let i = 0; i < 10 && (await atCustom.count()) === 0; i += 1)
      await reader.page.keyboard.press("ArrowDown");
    await reader.page.keyboard.press("Enter");
    const dialog = reader.dialog();
    await dialog.getByLabel("Address").waitFor();
    assert.equal(await reader.focus(), "input.");
    await reader.page.keyboard.type("https://keep.example/add");
    await reader.page.keyboard.press("Enter");
    await dialog.getByRole("alert").getByText("where the article's link goes").waitFor();
    await assertAccessible(reader.page, "the dialog of the own place");
    await reader.page.keyboard.type("?u={url}&t={title}");
    await dialog.getByLabel("Name (optional)").fill("Keep");
    await reader.page.keyboard.press("Enter");
    await eventuallyEquals("the dialog", () => dialog.count(), 0);
    await eventuallyEquals("the focus", async () => (await reader.focus()) !== "body", true);
    await button.click();
    const url = new URL((await entry("Send to Keep").getAttribute("href")) ?? "");
    assert.equal(url.searchParams.get("u"), link);
    assert.equal(url.searchParams.get("t"), "A walk at noon");
  });
});

test("labels are made and given, taken, and lead to their stream", async () => {
  const as = await app.user("labels");
  await app.visit({ as }, async (reader) => {
    await open(reader, "/feeds/plain.xml", "A walk at noon");
    await reader.choose("More actions", "Labels…");
    const dialog = reader.dialog();
    await dialog.getByText("No labels yet.").waitFor();
    assert.equal(await reader.focus(), "input.");
    await reader.page.keyboard.type("あとで");
    await reader.page.keyboard.press("Enter");
    await dialog.getByRole("checkbox", { name: "あとで" }).waitFor();
    await eventuallyEquals(
      "the box",
      () => dialog.getByRole("checkbox", { name: "あとで" }).isChecked(),
      true,
    );
    await assertAccessible(reader.page, "the dialog of labels");
    await shot(reader, "labels");
    const labels = async () =>
      (await reader.api.get<{ labels: { id: string }[] }>("/api/labels")).labels;
    const [label] = await labels();
    assert.ok(label);
    const { id } = await reader.api.item("Plain Notes", "A walk at noon");
    const given = async () =>
      (await reader.api.get<{ item: { labels: string[] } }>(`/api/items/${id}`)).item.labels;
    await eventuallyEquals("the labels on the server", given, [label.id]);
    await reader.page.keyboard.press("Escape");
    await eventuallyEquals("the dialog", () => dialog.count(), 0);
    const chip = reader.page.locator(".article .meta").getByRole("link", { name: "あとで" });
    assert.equal(await chip.getAttribute("href"), `/label/${label.id}`);

    await reader.choose("More actions", "Labels…");
    await tick(dialog.getByRole("checkbox", { name: "あとで" }), false);
    await eventuallyEquals("the labels on the server", given, []);
    await eventuallyEquals("the chip", () => chip.count(), 0);

    reader.watch.expectStatus(503);
    await reader.page.route("**/api/items/*/labels", (route) =>
      route.fulfill({
        status: 503,
        json: { code: "unavailable", category: "system", message: "" },
      }),
    );
    await dialog.getByRole("checkbox", { name: "あとで" }).click();
    await dialog.getByRole("alert").waitFor();
    await eventuallyEquals(
      "the box after a refusal",
      () => dialog.getByRole("checkbox").isChecked(),
      false,
    );
  });
});

test("a recording goes on where it was left, at the speed that was chosen", async () => {
  const as = await app.user("player");
  await app.visit({ as }, async (reader) => {
    await stubSound(reader.page.context(), 120);
    await open(reader, "/feeds/podcast.xml", "Episode 2: The second");
    const player = reader.page.locator(".player audio");
    await reader.page.getByLabel("Speed").selectOption("1.5");
    await player.evaluate(async (audio: HTMLAudioElement) => {
      audio.muted = true;
      await audio.play();
      audio.pause(); // it would go on while a busy page is told of the new place
      audio.currentTime = 42;
      await new Promise((done) => audio.addEventListener("seeked", done, { once: true }));
    });
    await reader.page.getByText("Resumes at 0:42").waitFor();
    await assertAccessible(reader.page, "the player");
    await shot(reader, "player");
    await reader.openRow("Episode 1: The first");
    await reader.openRow("Episode 2: The second");
    const began = await player.evaluate(async (audio: HTMLAudioElement) => {
      audio.muted = true;
      const began = new Promise<{ at: number; speed: number }>((done) =>
        audio.addEventListener(
          "playing",
          () => {
            audio.pause();
            done({ at: Math.floor(audio.currentTime), speed: audio.playbackRate });
          },
          { once: true },
        ),
      );
      await audio.play().catch(() => undefined); // the pause may come before it is told
      return began;
    });
    assert.equal(began.speed, 1.5);
    assert.ok(began.at >= 42 && began.at < 45, `begins at ${began.at}`);
    await reader.page.getByRole("button", { name: "Start over" }).click();
    await eventuallyEquals(
      "the position",
      () => player.evaluate((audio: HTMLAudioElement) => Math.floor(audio.currentTime)),
      0,
    );
  });
});

for (const locale of ["en", "ja"] as const satisfies readonly Locale[]) {
  test(`on a phone all of it is at hand (${locale})`, async () => {
    const as = await app.user(`phone-${locale}`);
    await app.visit(
      { as, locale, width: 390, height: 844, scheme: locale === "ja" ? "dark" : "light" },
      async (reader) => {
        const title = locale === "ja" ? "縁側で聞く雨の音について" : "The slow train to the coast";
        await open(reader, locale === "ja" ? "/feeds/nihongo.atom" : "/feeds/teasers.xml", title);
        await eventuallyEquals("the focus", () => reader.focus(), "the item's heading");
        await assertAccessible(reader.page, `an article on a phone, ${locale}`);
        await shot(reader, `phone-${locale}`);
        await reader.page
          .getByRole("button", { name: message(locale, "Text settings"), exact: true })
          .click();
        await assertAccessible(reader.page, `the panel of types on a phone, ${locale}`);
        await shot(reader, `phone-type-${locale}`);
        await reader.page.keyboard.press("Escape");
        await reader.choose(message(locale, "More actions"), message(locale, "Labels…"));
        await reader.dialog().waitFor();
        await shot(reader, `phone-labels-${locale}`);
        await reader.page.keyboard.press("Escape");
        const over = await reader.page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        assert.equal(over, 0);
      },
    );
  });
}

test("on a phone a finger goes back from the edge, and on past the end", async () => {
  const as = await app.user("touch");
  await app.visit({ as, width: 390, height: 844 }, async (reader) => {
    const id = await open(reader, "/feeds/plain.xml", "A walk at noon");
    const session = await reader.page.context().newCDPSession(reader.page);
    const drag = async (from: readonly [number, number], to: readonly [number, number]) => {
      const points = (at: readonly [number, number]) => [{ x: at[0], y: at[1] }];
      const send = (
        type: "touchStart" | "touchMove" | "touchEnd",
        at?: readonly [number, number],
      ) => session.send("Input.dispatchTouchEvent", { type, touchPoints: at ? points(at) : [] });
      await send("touchStart", from);
      for (let i = 1; i <= 5; i += 1) {
        await send("touchMove", [
          from[0] + ((to[0] - from[0]) * i) / 5,
          from[1] + ((to[1] - from[1]) * i) / 5,
        ]);
      }
      await reader.page.locator(".gesture").waitFor();
      await shot(reader, `gesture-${from[0]}`);
      await send("touchEnd");
    };
    // Too short: nothing comes of it.
    await drag([200, 600], [200, 560]);
    await eventuallyEquals("the mark", () => reader.page.locator(".gesture").count(), 0);
    assert.equal(await reader.articleTitle(), "A walk at noon");
    await drag([201, 600], [201, 480]);
    await reader.articleShows("Two kinds of quiet");
    await eventuallyEquals("the focus", () => reader.focus(), "the item's heading");
    await drag([40, 500], [180, 505]);
    await eventuallyEquals("the address", () => reader.path(), `/feed/${id}`);
  });
});

test("a post without a title is said once, and a heading breaks no word that fits", async () => {
  const as = await app.user("headings");
  const long =
    "Neue Geschwindigkeitsbegrenzung: Donaudampfschifffahrtsgesellschaft im Bundesverkehrsministerium";
  for (const width of [1440, 390]) {
    await app.visit({ as, width }, async (reader) => {
      const { page } = reader;
      const { id } = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
      const [post, german] = await reader.api.items(id);
      assert.ok(post && german);
      // As publishers send them; the feeds of the tests have titles in English.
      await page.route(/\/api\/(feeds\/\d+\/items|items\/\d+$)/, async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        for (const item of body.items ?? [body.item]) {
          if (item.id === post.id) Object.assign(item, { title: "", author: "Ada" });
          if (item.id === german.id)
            Object.assign(item, { title: `${long} ${"x".repeat(120)}`, lang: "de" });
        }
        await route.fulfill({ response, json: body });
      });
      await page.goto(`${app.backend.base}/feed/${id}/i/${post.id}`);
      await prose(reader).waitFor();
      const article = page.locator(".article-pane article.article");
      assert.equal(await article.locator("h1").textContent(), "Ada");
      const text = (await article.textContent()) ?? "";
      assert.equal(text.split("long enough to be read").length, 2, "its text stands there once");

      await page.goto(`${app.backend.base}/feed/${id}/i/${german.id}`);
      await prose(reader).waitFor();
      const seen = await article.locator("h1").evaluate((heading) => {
        const node = document.createTreeWalker(heading, NodeFilter.SHOW_TEXT).nextNode() as Text;
        const range = document.createRange();
        const boxes = (from: number, to: number) => {
          range.setStart(node, from);
          range.setEnd(node, to);
          return [...range.getClientRects()];
        };
        const broken = [...node.data.matchAll(/\S+/g)].filter(({ 0: word, index }) => {
          const all = boxes(index, index + word.length);
          const lines = new Set(all.map(({ top }) => top)).size;
          const wide = all.reduce((sum, box) => sum + box.width, 0);
          return lines > 1 && wide < heading.clientWidth;
        });
        return {
          broken: broken.map(([word]) => word),
          over: heading.scrollWidth - heading.clientWidth,
          wrap: getComputedStyle(heading).getPropertyValue("text-wrap-style"),
        };
      });
      assert.deepEqual(seen, { broken: [], over: 0, wrap: "pretty" }, `at ${width}`);
    });
  }
});
