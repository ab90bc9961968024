// What a long list and a full article cost, and that nothing moves under the reader's eyes.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { eventually, eventuallyEquals } from "./harness/eventually.ts";
import { stubPictures } from "./harness/pictures.ts";

/** The most rows and nodes in the page, however long the list. */
const mostRows = 40;
const mostNodes = 1_500;
/** Page, script, style, catalog, rows, what rows share with other parts, beginning, first items. */
const mostRequests = 8;

let app: App;

before(async () => {
  app = await startApp();
});
after(() => app?.close());

// G-69
test("a list of 120 items loads by pages while it is scrolled, with few rows in the page at any step", async () => {
  const as = await app.user("list-long");
  await app.visit({ as }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/long.xml"));
    const pages: string[] = [];
    reader.page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.pathname === `/api/feeds/${id}/items`) pages.push(url.search);
    });
    await reader.open(`/feed/${id}`);
    const scroller = reader.page.locator(".list-pane > .scroll");
    const seen = new Set<string>();
    const end = reader.page.locator(".list-pane .list-end", { hasText: "That was" });
    for (let step = 0; step < 200; step += 1) {
      for (const title of await reader.titles()) seen.add(title);
      const rows = await reader.rows().count();
      assert.ok(rows <= mostRows, `${rows} rows at step ${step}`);
      const nodes = await reader.page.locator("*").count();
      assert.ok(nodes <= mostNodes, `${nodes} elements at step ${step}`);
      const before = await scroller.evaluate((box) => box.scrollTop);
      await scroller.evaluate((box) => box.scrollBy(0, 600));
      await reader.frames(2);
      const after = await scroller.evaluate((box) => box.scrollTop);
      if (after === before) {
        if ((await end.count()) > 0) break;
        await eventually(
          "more to scroll",
          () => scroller.evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop),
          (room) => room > 0,
        );
      }
    }
    const wanted = Array.from(
      { length: 120 },
      (_, i) => `Entry ${String(120 - i).padStart(3, "0")} of the long list`,
    );
    assert.deepEqual([...seen], wanted, "every item, in order");
    assert.equal(pages.length, 3, `pages of 50: ${pages.join(" ")}`);
    await reader.showsNoShift("the long list");
  });
});

test("the rows of a feed do not move when the feeds come after them", async () => {
  await app.visit({ as: await app.user("late") }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/long.xml"));
    const items = reader.page.waitForResponse((r) => r.url().includes(`/api/feeds/${id}/items`));
    // They come with what the page begins with.
    await reader.page.route("**/api/me", async (route) => {
      await items;
      await reader.frames(30);
      await route.continue();
    });
    await reader.open(`/feed/${id}`);
    await reader.rows().first().waitFor();
    await reader.frames(10);
    await reader.showsNoShift("the list");
    await reader.page.unrouteAll({ behavior: "wait" });
  });
});

test("the place in a list is kept when another feed is looked at", async () => {
  const as = await app.user("list-place");
  await app.visit({ as }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/long.xml"));
    await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await reader.open(`/feed/${id}`);
    const scroller = reader.page.locator(".list-pane > .scroll");
    const firstVisible = () =>
      scroller.evaluate((box) => {
        const top = box.getBoundingClientRect().top;
        const row = [...box.querySelectorAll(".row")].find(
          (one) => one.getBoundingClientRect().bottom > top + 1,
        );
        return `${row?.querySelector(".title a")?.textContent} ${Math.round((row?.getBoundingClientRect().top ?? 0) - top)}`;
      });
    // Lines are measured as they come: where the list stands is told when it has come to rest.
    await reader.scrollList(3_000);
    await eventuallyEquals(
      "the rows around 3000",
      async () => (await firstVisible()).startsWith("Entry 08"),
      true,
    );
    const before = await firstVisible();
    await reader.goTo("Plain Notes");
    await reader.goTo("The Long List");
    await eventuallyEquals("the first visible row after coming back", firstVisible, before);
    await reader.page.goBack();
    await reader.page.locator(".list-pane h1", { hasText: "Plain Notes" }).waitFor();
    await reader.page.goForward();
    await eventuallyEquals("the first visible row after back and forward", firstVisible, before);
  });
});

test("a toast covers no row that could not be scrolled away from it", async () => {
  const as = await app.user("toasts");
  await app.visit({ as, width: 1024, height: 500 }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/nihongo.atom"));
    await reader.open(`/feed/${id}`);
    await reader.settled();
    await reader.press("Shift+A");
    const toast = reader.toast(/marked as read/);
    await toast.waitFor();
    for (const width of [1024, 390]) {
      await reader.page.setViewportSize({ width, height: 320 });
      assert.ok(await reader.isClear(reader.rows().last(), toast), `the last row at ${width}`);
    }
  });
});

test("new items wait for the reader: they come when asked for, and the counts with them", async () => {
  const as = await app.user("new");
  await app.visit({ as }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/grow/reed.xml"));
    await reader.open(`/feed/${id}`);
    await eventuallyEquals("rows", () => reader.titles(), [
      "reed number 3",
      "reed number 2",
      "reed number 1",
    ]);
    await app.publisher.tick("reed", 2);
    // The publisher names no gap, but a second visit within five minutes is not polite either.
    await reader.press("r");
    await reader.toast(/Just checked\. Try again in|2 new articles/).waitFor();
    if ((await reader.toast("2 new articles").count()) > 0) {
      await reader.page.locator(".list-pane .pill").waitFor(); // until then there is nothing to show
      await reader.press(".");
      await eventuallyEquals("rows", async () => (await reader.titles()).length, 5);
      await eventuallyEquals("the count", () => reader.sideCount("Growing reed"), 5);
    }
  });
});

test("the first list is on the screen after few requests", async () => {
  const as = await app.user("list-first");
  await app.visit({ as }, async (reader) => {
    await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await reader.page.addInitScript(() => {
      const here = window as unknown as { firstRowAt: number };
      new MutationObserver((_, observer) => {
        if (!document.querySelector(".row[data-item]")) return;
        observer.disconnect();
        here.firstRowAt = performance.now();
      }).observe(document, { childList: true, subtree: true });
    });
    await reader.open("/all");
    const before = await reader.page.evaluate(() => {
      const { firstRowAt } = window as unknown as { firstRowAt: number };
      const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]")?.href;
      return (
        performance
          .getEntriesByType("resource")
          .filter((entry) => entry.startTime < firstRowAt)
          // The tab's icon is the browser's own wish, and nothing waits for it.
          .filter((entry) => entry.name !== icon)
          .map((entry) => new URL(entry.name).pathname)
      );
    });
    const requests = ["/all", ...before];
    console.log(`requests before the first list: ${requests.length}`);
    assert.ok(requests.length <= mostRequests, requests.join("\n"));
    await reader.showsNoShift("the first list");
  });
});

test("nothing moves while sixty pictures of unknown size load", async () => {
  const as = await app.user("pictures");
  await app.visit({ as }, async (reader) => {
    await stubPictures(reader.page);
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/rich.xml"));
    await reader.open(`/feed/${id}`);
    await reader.openRow("Sixty pictures of unknown size");
    const images = reader.page.locator(".prose img");
    assert.equal(await images.count(), 60);
    await reader.forgetShifts();
    const scroller = reader.page.locator(".article-pane > .scroll");
    const loaded = () =>
      images.evaluateAll(
        (all) =>
          all.filter(
            (one) =>
              (one as HTMLImageElement).complete && (one as HTMLImageElement).naturalWidth > 0,
          ).length,
      );
    // By less than half a view a frame: a picture that takes its size below the view is drawn there before it comes up.
    const isAtEnd = () =>
      scroller.evaluate((box) => box.scrollTop + box.clientHeight > box.scrollHeight - 2);
    for (let i = 0; i < 500 && !(await isAtEnd()); i += 1) {
      await scroller.evaluate((box) => box.scrollBy(0, 300));
      await reader.frames(2);
    }
    await eventuallyEquals("the pictures", loaded, 60);
    await reader.frames(2);
    await scroller.evaluate((box) => box.scrollTo(0, 0));
    await reader.showsNoShift("an article with sixty pictures");
  });
});

test("wide code, tables and endless addresses scroll by themselves, not the page", async () => {
  const as = await app.user("wide");
  for (const width of [1440, 768, 390]) {
    await app.visit({ as, width }, async (reader) => {
      await stubPictures(reader.page);
      const { id } = await reader.api.addFeed(app.publisher.url("/feeds/rich.xml"));
      for (const item of await reader.api.items(id)) {
        await reader.page.goto(`${app.backend.base}/feed/${id}/i/${item.id}`);
        await reader.page.locator(".article-pane .prose").waitFor();
        const over = await reader.page.evaluate(() => {
          const boxes = [
            document.documentElement,
            ...document.querySelectorAll(".article-pane > .scroll"),
          ];
          return boxes.map((box) => box.scrollWidth - box.clientWidth).filter((more) => more > 0);
        });
        assert.deepEqual(over, [], `${item.title.slice(0, 30)} at ${width}`);
      }
    });
  }
});

test("a podcast can be heard from its item", async () => {
  const as = await app.user("podcast");
  await app.visit({ as }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/podcast.xml"));
    await reader.open(`/feed/${id}`);
    await reader.openRow("Episode 2: The second");
    const player = reader.page.locator(".article-pane .enclosure audio");
    assert.equal(await player.count(), 1);
    assert.match((await player.getAttribute("src")) ?? "", /^https:\/\/sounds\.example\/2\.mp3$/);
  });
});
