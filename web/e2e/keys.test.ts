// The reader by keys alone: each step leaves the focus on something, never on the body.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { eventually, eventuallyEquals } from "./harness/eventually.ts";
import { stubPictures } from "./harness/pictures.ts";
import { keepScreenshot } from "./harness/screenshot.ts";

let app: App;

before(async () => {
  app = await startApp();
});
after(() => app?.close());

test("j, k, o, m, s, u walk through a feed", async () => {
  const as = await app.user("walker");
  await app.visit({ as }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await reader.open(`/feed/${id}`);
    const [first = "", second = "", third = ""] = await reader.titles();
    const isOpen = async (title: string) => {
      await reader.articleShows(title);
      await eventuallyEquals(
        `${title} is open`,
        () => reader.row(title).getAttribute("data-open"),
        "true",
      );
      await eventuallyEquals("the focus", () => reader.focus(), "a row");
    };
    await reader.press("j");
    await isOpen(first);
    await reader.press("j");
    await isOpen(second);
    await reader.press("j");
    await isOpen(third);
    await reader.press("k");
    await isOpen(second);
    await eventuallyEquals("its mark", () => reader.row(second).getAttribute("data-read"), "true");
    await reader.press("m");
    await eventuallyEquals(
      "its mark after m",
      () => reader.row(second).getAttribute("data-read"),
      "false",
    );
    await eventuallyEquals("the count", () => reader.sideCount("Plain Notes"), 3);
    await reader.press("s");
    await eventuallyEquals("the starred", () => reader.sideCount("Starred"), 1);
    await reader.press("o");
    await eventuallyEquals("the address after o", () => reader.path(), `/feed/${id}`);
    await eventuallyEquals("the focus is on the row", () => reader.focus(), "a row");
    await reader.press("o");
    await isOpen(second);
    await reader.press("n");
    assert.match(reader.path(), /\/i\//, "n moves the cursor only");
    await reader.articleShows(second);
    await reader.press("Enter");
    await reader.articleShows(third);
    await reader.press("Enter");
    await eventuallyEquals(
      "Enter on the open row goes into the article",
      () => reader.focus(),
      "the item's heading",
    );
    await reader.press("u");
    await eventuallyEquals("the address after u", () => reader.path(), `/feed/${id}`);
    await eventuallyEquals("the focus is back", () => reader.focus(), "a row");
  });
});

test("keys go between places and feeds", async () => {
  const as = await app.user("traveller");
  await app.visit({ as }, async (reader) => {
    const plain = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    const podcast = await reader.api.addFeed(app.publisher.url("/feeds/podcast.xml"));
    await reader.open("/all");
    await reader.side("Spoken Words").waitFor(); // the side bar knows which feed is next
    const leads = async (keys: readonly string[], path: string) => {
      await reader.pressAll(keys);
      await eventuallyEquals(`the address after ${keys.join(" ")}`, () => reader.path(), path);
      await eventuallyEquals("the focus", async () => (await reader.focus()) !== "body", true);
    };
    await leads(["g", "s"], "/starred");
    await leads(["g", "u"], "/all?f=unread");
    await leads(["g", "a"], "/all");
    await leads(["Shift+J"], `/feed/${plain.id}`);
    await leads(["Shift+J"], `/feed/${podcast.id}`);
    await leads(["Shift+K"], `/feed/${plain.id}`);
    await leads(["Shift+Digit1"], `/feed/${plain.id}?f=unread`);
    await leads(["Shift+Digit3"], `/feed/${plain.id}?f=starred`);
    await leads(["Shift+Digit2"], `/feed/${plain.id}`);
    await reader.row("A walk at noon").waitFor();
    await reader.press("Shift+A");
    await reader.toast("5 articles marked as read").waitFor();
    await eventuallyEquals("the count", () => reader.sideCount("Plain Notes"), 0);
    await reader.press("z");
    await eventuallyEquals("the count after z", () => reader.sideCount("Plain Notes"), 5);
  });
});

test("marking all unread items leads to no feed of them, and rows of kept lists are read", async () => {
  const as = await app.user("marker");
  await app.visit({ as }, async (reader) => {
    const plain = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await reader.api.addFeed(app.publisher.url("/feeds/long.xml"));
    await reader.api.send("PUT", "/api/user/preferences", { itemsPerPage: 20 });
    await reader.open("/all");
    await reader.goTo("Plain Notes"); // the list is kept
    await reader.row("A walk at noon").waitFor();
    await reader.page.keyboard.press("g");
    await reader.page.keyboard.press("u");
    await eventuallyEquals("the address", () => reader.path(), "/all?f=unread");
    await reader.rows().filter({ hasText: "The Long List" }).first().waitFor();
    const { unread } = (await reader.api.feeds()).totals;
    assert.ok(unread > 20, "more than a page has");
    await reader.press("Shift+A");
    const toast = reader
      .toast(/marked as read/)
      .locator("span")
      .first();
    await eventuallyEquals(
      "what is said",
      () => toast.textContent(),
      `${unread} articles marked as read`,
    );
    assert.equal(reader.path(), "/all?f=unread", "no feed is left to go to");
    await eventuallyEquals("the count", () => reader.sideCount("Unread"), 0);
    await reader.goTo("Plain Notes");
    assert.equal(reader.path(), `/feed/${plain.id}`);
    await reader.row("A walk at noon").waitFor();
    const marks = () =>
      reader.rows().evaluateAll((rows) => rows.map((row) => row.getAttribute("data-read")));
    await eventuallyEquals("the marks", marks, Array(5).fill("true"));
    await reader.press("z");
    await eventuallyEquals("the count after z", () => reader.sideCount("Unread"), unread);
    await eventuallyEquals("the marks after z", marks, Array(5).fill("false"));
  });
});

test("space pages through an item and goes on to the next unread one", async () => {
  const as = await app.user("pager");
  await app.visit({ as }, async (reader) => {
    await stubPictures(reader.page);
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/rich.xml"));
    await reader.open(`/feed/${id}`);
    await reader.openRow("Sixty pictures of unknown size");
    const scroller = reader.page.locator(".article-pane > .scroll");
    const top = () => scroller.evaluate((box) => box.scrollTop);
    await reader.press("Space");
    await eventuallyEquals("the article is scrolled", async () => (await top()) > 300, true);
    await reader.press("Shift+Space");
    await eventuallyEquals("and back", top, 0);
    await scroller.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await reader.press("Space");
    await reader.articleShows("A long line of code");
  });
});

test("items passed quickly are read, what comes next stays in view, and the end is said", async () => {
  const as = await app.user("skimmer");
  await app.visit({ as, height: 700 }, async (reader) => {
    const { page } = reader;
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/long.xml"));
    const other = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await reader.open(`/feed/${id}`);
    await reader.settled();
    // No text ever comes.
    await page.route(/\/api\/items\/(bodies|\d+$)/, () => undefined);
    const open = page.locator(".list-pane .row[data-open=true]");
    for (let n = 120; n > 108; n -= 1) {
      await reader.press("j");
      await open.getByText(`Entry ${n} of the long list`).waitFor();
      await reader.frames(2);
      const under = await open.evaluate((row) => {
        const pane = row.closest(".scroll")?.getBoundingClientRect();
        return (pane?.bottom ?? 0) - row.getBoundingClientRect().bottom;
      });
      assert.ok(under >= 100, `${under} px are left under entry ${n} for the next title`);
    }
    await eventually(
      "what is read",
      () => reader.api.items(id),
      (items) => items.slice(0, 12).every(({ isRead }) => isRead),
    );

    // The last loaded item is no wall, and the last of all says so and leads on.
    await eventually(
      "the last item",
      async () => {
        await page.keyboard.down("j");
        return open.textContent();
      },
      (seen) => /Entry 001/.test(seen ?? ""),
    );
    await page.keyboard.up("j");
    await reader.press("j");
    const end = reader.toast("That was the last article.");
    await end.waitFor();
    const isSeen = page.locator(".list-end", { hasText: "That was" });
    await isSeen.waitFor();
    const [list, toast] = await Promise.all([
      page.locator(".list-pane").boundingBox(),
      end.boundingBox(),
    ]);
    assert.ok(list && toast && toast.x + toast.width <= list.x, "the toast leaves the list free");
    await keepScreenshot(page, "screens/list-end-light-1440-en.png");
    await end.getByRole("button", { name: /Next feed/ }).click();
    await eventuallyEquals("the next feed", () => reader.path(), `/feed/${other.id}`);
  });
});

test("in LDR p pins, o opens the pinned in tabs and lets go of them; stars are not touched", async () => {
  const as = await app.user("pinner");
  await app.visit({ as }, async (reader) => {
    const { page, api } = reader;
    const { id } = await api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await api.send("PUT", "/api/user/preferences", { keymap: "ldr" });
    const links = (await api.items(id)).slice(0, 2).map(({ link }) => link);
    await page.context().route(
      (url) => links.includes(url.href),
      (route) => route.fulfill({ contentType: "text/html", body: "<title>original</title>" }),
    );
    await reader.open(`/feed/${id}`);
    await reader.settled();
    const button = (count: string) => page.getByRole("button", { name: `${count} pinned article` });
    for (const _ of links) {
      await reader.press("j");
      await reader.press("p");
    }
    await button("2").waitFor();
    await eventuallyEquals("the rows", () => page.locator(".row .pinned").count(), 2);
    await page.reload();
    await button("2").waitFor();
    await keepScreenshot(page, "screens/pins-light-1440-en.png");

    // The browser lets no window through.
    await page.evaluate(() => {
      window.open = () => null;
    });
    await reader.press("o");
    await reader.toast("Your browser blocked 2 tabs.").waitFor();
    await button("2").waitFor();

    await page.reload();
    await button("2").waitFor();
    await page.locator(".list-pane .row").first().focus();
    await reader.press("o");
    await reader.toast("2 pinned articles opened").waitFor();
    await eventuallyEquals(
      "the tabs",
      async () =>
        page
          .context()
          .pages()
          .slice(1)
          .map((tab) => tab.url()),
      links,
    );
    await page.bringToFront();
    await eventuallyEquals("the button", () => button("").count(), 0);
    await eventuallyEquals("the rows", () => page.locator(".row .pinned").count(), 0);
    assert.deepEqual(await api.items(id, "starred"), []);
    await reader.press("z");
    await button("2").click();
    await page.getByRole("menuitem", { name: "Remove all pins" }).click();
    await reader.toast("All pins removed").waitFor();
    await eventuallyEquals("the button", () => button("").count(), 0);
    await eventuallyEquals("the focus", () => reader.focus(), "a row");
    await reader.choose("Settings", "Sign out");
    await page.locator("#email").waitFor();
    assert.equal(await page.evaluate(() => localStorage.getItem("ruri.pins")), "[]");
  });
});

test("an item is read alone: nothing beside it, from item to item, until one comes back", async () => {
  const as = await app.user("alone");
  await app.visit({ as }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await reader.open(`/feed/${id}`);
    const [first = "", second = "", third = ""] = await reader.titles();
    const seen = () =>
      reader.page.evaluate(() =>
        [".side", ".list-pane", ".article-pane"].filter((pane) =>
          document.querySelector(pane)?.checkVisibility({ visibilityProperty: true }),
        ),
      );
    const all = [".side", ".list-pane", ".article-pane"];
    await reader.press("f");
    assert.deepEqual(await seen(), all, "nothing is open");
    await reader.press("j");
    await reader.articleShows(first);
    await reader.press("f");
    await eventuallyEquals("the panes", seen, [".article-pane"]);
    await eventuallyEquals("the focus", () => reader.focus(), "the item's heading");
    const wide = await reader.page.locator(".article-pane").boundingBox();
    assert.ok(wide && wide.width >= 1424, "all of the width but the edge of the sheet");
    await reader.press("j");
    await reader.articleShows(second);
    assert.deepEqual(await seen(), [".article-pane"]);
    await eventuallyEquals("the focus", () => reader.focus(), "the item's heading");
    await reader.press("Escape");
    await eventuallyEquals("the panes", seen, all);
    await reader.articleShows(second);
    await reader.press("f");
    await eventuallyEquals("the panes", seen, [".article-pane"]);
    await reader.press("f");
    await eventuallyEquals("the panes", seen, all);

    await reader.choose("More actions", "Focus mode");
    await eventuallyEquals("the panes", seen, [".article-pane"]);
    await reader.page.goBack();
    await eventuallyEquals("the list", () => reader.path(), `/feed/${id}`);
    await eventuallyEquals("the panes", seen, all);
    await reader.press("j");
    await reader.articleShows(third);
    assert.deepEqual(await seen(), all, "closing the item ended it");
  });
});

test("the help lists the keys, and closing it gives the focus back", async () => {
  const as = await app.user("helped");
  await app.visit({ as }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await reader.open(`/feed/${id}`);
    await reader.press("j");
    await reader.articleShows((await reader.titles())[0] ?? "");
    await eventuallyEquals("the focus", () => reader.focus(), "a row");
    await reader.press("?");
    await reader.dialog().getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
    for (const key of ["j", "k", "o", "m", "s", "z", "?"]) {
      assert.ok(
        (await reader.dialog().locator("kbd").allTextContents()).includes(key),
        `${key} is in the help`,
      );
    }
    await reader.press("j");
    await reader.dialog().waitFor();
    await reader.page.keyboard.press("Escape");
    await eventuallyEquals("the dialog", () => reader.dialog().count(), 0);
    await eventuallyEquals("the focus is back", () => reader.focus(), "a row");
  });
});

test("keys rest while one types, and while an input method composes", async () => {
  const as = await app.user("typist");
  await app.visit({ as }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await reader.open(`/feed/${id}`);
    await reader.press("a");
    await reader.dialog().locator("input[type=url]").waitFor();
    await reader.page.keyboard.type("jksmz?");
    assert.equal(await reader.dialog().locator("input[type=url]").inputValue(), "jksmz?");
    await reader.page.keyboard.press("Escape");
    await eventuallyEquals("the dialog", () => reader.dialog().count(), 0);
    assert.equal(reader.path(), `/feed/${id}`);

    const [first = ""] = await reader.titles();
    await reader.page.evaluate(() => {
      const press = (more: KeyboardEventInit) =>
        (document.activeElement ?? document.body).dispatchEvent(
          new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...more }),
        );
      press({ key: "Process", code: "KeyJ", isComposing: true });
    });
    await reader.frames(2);
    assert.equal(reader.path(), `/feed/${id}`, "nothing opens while composing");
    await reader.page.evaluate(() => {
      (document.activeElement ?? document.body).dispatchEvent(
        new KeyboardEvent("keydown", {
          bubbles: true,
          cancelable: true,
          key: "Process",
          code: "KeyJ",
        }),
      );
    });
    await reader.articleShows(first);
  });
});

test("Tab reaches only what is visible, and all of the frame", async () => {
  const as = await app.user("tabber");
  const list = ["button Show: All · 5", "button List actions", "article Unread: On small things"];
  for (const [width, reached] of [
    [1440, [...list, "Plain Notes5 unread", "button Add", "button Settings"]],
    [1000, [...list, "button Show feeds"]],
    [390, [...list, "button Feeds", "a Unread"]],
  ] as const) {
    await app.visit({ as, width }, async (reader) => {
      const { id } = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
      await reader.open(`/feed/${id}`);
      // The menus, the side bar and the bar of phones come after the first list.
      await reader.settled();
      if (width < 768) await reader.page.locator(".tabbar button").first().waitFor();
      const stops: string[] = [];
      // Twice round, since a page begins with the focus in its middle.
      for (let rounds = 0; rounds < 2 && stops.length < 120; ) {
        await reader.page.keyboard.press("Tab");
        const stop = await reader.page.evaluate(() => {
          const element = document.activeElement;
          if (!element || element === document.body) return null;
          const box = element.getBoundingClientRect();
          const shown =
            element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
            box.width > 0 &&
            box.right > 0 &&
            box.left < innerWidth;
          const name =
            element.getAttribute("aria-label") ?? element.textContent?.trim().slice(0, 30);
          return `${shown ? "" : "HIDDEN "}${element.tagName.toLowerCase()} ${name}`;
        });
        if (stop === null) rounds += 1;
        else stops.push(stop);
      }
      for (const name of reached) {
        assert.ok(
          stops.some((stop) => stop.includes(name)),
          `${name} at ${width}, among\n${stops.join("\n")}`,
        );
      }
      assert.deepEqual(
        stops.filter((stop) => stop.startsWith("HIDDEN")),
        [],
        `at ${width}`,
      );
    });
  }
});
