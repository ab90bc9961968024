// The main way through the reader, as the owner of a fresh machine walks it: one story, step by step.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, type signIn, startApp } from "./harness/app.ts";
import { assertAccessible } from "./harness/axe.ts";
import { eventually, eventuallyEquals } from "./harness/eventually.ts";

const samples = [
  "An Undated Notebook / 日付のない手帖",
  "Small Sounds",
  "Small Tools",
  "The Quiet Web",
  "季節の道具箱",
  "紙と画面のあいだ",
];

let app: App;
let owner: Awaited<ReturnType<typeof signIn>>;

before(async () => {
  app = await startApp({ samples: true });
});
after(() => app?.close());

// R-87, G-1
test("a link's button signs the owner in, once, and the samples are there with their counts", async () => {
  const link = await app.backend.ownerLink();
  await app.visit({ as: null, locale: "ja" }, async (reader) => {
    await reader.page.goto(link);
    await reader.page.getByRole("button", { name: "ログイン" }).waitFor();
    await assertAccessible(reader.page, "a one-time link");
  });
  await app.visit({ as: null }, async (reader) => {
    await reader.page.goto(link);
    await reader.page.getByRole("button", { name: "Sign in" }).click();
    await reader.page.locator(".today").waitFor();
    assert.equal(reader.path(), "/");
    // The samples are subscribed to while the page opens.
    const { feeds, totals } = await eventually(
      "the samples",
      () => reader.api.feeds(),
      ({ feeds }) => feeds.length === samples.length && feeds.every((feed) => feed.itemCount > 0),
    );
    await reader.page.reload();
    await eventuallyEquals("the side bar", () => reader.sideNames(), samples);
    for (const feed of feeds) {
      assert.ok(feed.isSample, feed.title);
      assert.ok(feed.unreadCount > 0, `${feed.title} begins unread`);
      await eventuallyEquals(feed.title, () => reader.sideCount(feed.title), feed.unreadCount);
    }
    await eventuallyEquals("the count of all", () => reader.sideCount("Unread"), totals.unread);
    owner = await reader.page.context().storageState();
  });
  await app.visit({ as: null }, async (reader) => {
    reader.watch.expectStatus(401);
    await reader.page.goto(link);
    await reader.page.getByText("This sign-in link has been used or has expired").waitFor();
  });
});

// R-87, G-1
test("opening an item shows its body, marks it read and lowers the counts", async () => {
  await app.visit({ as: owner }, async (reader) => {
    await reader.open("/all");
    const feed = await reader.api.feed("The Quiet Web");
    // Until the counts are there, the side bar shows none.
    const { unread } = (await reader.api.feeds()).totals;
    await eventuallyEquals("the count of all", () => reader.sideCount("Unread"), unread);
    await reader.goTo("The Quiet Web");
    const row = reader.row("Why feeds still matter");
    assert.equal(await row.getAttribute("data-read"), "false");
    await reader.openRow("Why feeds still matter");
    const body = await reader.page.locator(".article-pane .prose").textContent();
    assert.match(body ?? "", /\w{3,}/);
    await eventuallyEquals("the row's mark", () => row.getAttribute("data-read"), "true");
    await eventuallyEquals(
      "the feed's count",
      () => reader.sideCount("The Quiet Web"),
      feed.unreadCount - 1,
    );
    await eventuallyEquals("the count of all", () => reader.sideCount("Unread"), unread - 1);
    await eventuallyEquals(
      "the server's count",
      async () => (await reader.api.feed("The Quiet Web")).unreadCount,
      feed.unreadCount - 1,
    );
    const title = `(${feed.unreadCount - 1}) The Quiet Web · Ruri`;
    await eventuallyEquals("the title", () => reader.page.title(), title);
  });
});

test("a starred item is among the starred, from the row and from the article", async () => {
  await app.visit({ as: owner }, async (reader) => {
    await reader.open("/all");
    await reader.goTo("The Quiet Web");
    await reader
      .row("The measure of a line")
      .getByRole("button", { name: "Star", exact: true })
      .click();
    await reader.openRow("Why feeds still matter");
    await reader.page
      .locator(".article-pane .pane-head")
      .getByRole("button", { name: "Star", exact: true })
      .click();
    await eventuallyEquals("the count of the starred", () => reader.sideCount("Starred"), 2);
    const kept = () => reader.api.items(null, "starred");
    const stored = await eventually("the server's stars", kept, (items) => items.length === 2);
    const titles = stored.map((item) => item.title);
    assert.deepEqual([...titles].sort(), ["The measure of a line", "Why feeds still matter"]);
    await reader.goTo("Starred");
    await eventuallyEquals("the starred rows", () => reader.titles(), titles);
  });
});

// G-68
test("marking a feed as read is undone by z, to the last item", async () => {
  await app.visit({ as: owner }, async (reader) => {
    await reader.open("/all");
    const feed = await reader.api.feed("紙と画面のあいだ");
    const before = await reader.api.items(feed.id);
    await reader.goTo("紙と画面のあいだ");
    await reader.choose("List actions", "Mark all as read");
    await reader.toast(`${feed.unreadCount} articles marked as read`).waitFor();
    await eventuallyEquals("the feed's count", () => reader.sideCount(feed.title), 0);
    await eventuallyEquals(
      "unread rows",
      () => reader.page.locator(".row[data-read=false]").count(),
      0,
    );
    // Shown and said at once, while it is still on its way.
    const kept = async () => (await reader.api.feed(feed.title)).unreadCount;
    await eventuallyEquals("the server's count", kept, 0);

    await reader.press("z");
    await eventuallyEquals(
      "the feed's count",
      () => reader.sideCount(feed.title),
      feed.unreadCount,
    );
    await eventuallyEquals(
      "unread rows",
      () => reader.page.locator(".row[data-read=false]").count(),
      feed.unreadCount,
    );
    await eventuallyEquals("the server's items", () => reader.api.items(feed.id), before);
  });
});

test("filters show what they say, and a row that is read stays until the list is opened anew", async () => {
  await app.visit({ as: owner }, async (reader) => {
    const feed = (await reader.api.feed("The Quiet Web")).id;
    await reader.open(`/feed/${feed}`);
    for (const [name, filter] of [
      ["Unread", "unread"],
      ["Starred", "starred"],
      ["All", "all"],
    ] as const) {
      await reader.page.locator(".filter-btn").click();
      await reader.page.getByRole("menuitemradio", { name, exact: true }).click();
      const wanted = (await reader.api.items(feed, filter)).map((item) => item.title);
      await eventuallyEquals(`rows under ${name}`, () => reader.titles(), wanted);
      assert.equal(reader.path(), `/feed/${feed}${filter === "all" ? "" : `?f=${filter}`}`);
    }
    await reader.press("Shift+Digit1");
    await eventuallyEquals("the filter", () => reader.path(), `/feed/${feed}?f=unread`);
    const [first] = await reader.api.items(feed, "unread");
    assert.ok(first);
    await eventuallyEquals("the first row", async () => (await reader.titles())[0], first.title);
    await reader.openRow(first.title);
    await eventuallyEquals(
      "its mark",
      () => reader.row(first.title).getAttribute("data-read"),
      "true",
    );
    const kept = async () => (await reader.api.items(feed, "unread")).map((item) => item.id);
    await eventuallyEquals(
      "the server's mark",
      async () => (await kept()).includes(first.id),
      false,
    );
    await reader.press("u");
    assert.equal(await reader.row(first.title).count(), 1, "the row that was read stays");
    await reader.press("Shift+Digit2");
    await eventuallyEquals("the list of all", () => reader.path(), `/feed/${feed}`);
    await reader.press("Shift+Digit1");
    await eventuallyEquals("the row after coming anew", () => reader.row(first.title).count(), 0);
  });
});

test("reload keeps list, article, marks and counts", async () => {
  await app.visit({ as: owner }, async (reader) => {
    const feed = await reader.api.feed("Small Tools");
    await reader.open(`/feed/${feed.id}`);
    await reader.openRow("Names for things");
    await reader.press("s");
    await eventuallyEquals("the star", () => reader.sideCount("Starred"), 3);
    await eventuallyEquals(
      "the count",
      () => reader.sideCount("Small Tools"),
      feed.unreadCount - 1,
    );
    const path = reader.path();
    const titles = await reader.titles();
    await reader.page.reload();
    await reader.articleShows("Names for things");
    assert.equal(reader.path(), path);
    await eventuallyEquals("rows", () => reader.titles(), titles);
    const row = reader.row("Names for things");
    await eventuallyEquals("its mark", () => row.getAttribute("data-read"), "true");
    await eventuallyEquals("the open row", () => row.getAttribute("data-open"), "true");
    await eventuallyEquals(
      "the count",
      () => reader.sideCount("Small Tools"),
      feed.unreadCount - 1,
    );
    await eventuallyEquals("the starred", () => reader.sideCount("Starred"), 3);
  });
});

test("a deep link opens its item, and back leads through what was seen", async () => {
  await app.visit({ as: owner }, async (reader) => {
    const item = await reader.api.item("季節の道具箱", "新米と土鍋");
    await reader.open(`/feed/${item.feedId}/i/${item.id}`);
    await reader.articleShows("新米と土鍋");
    await eventuallyEquals(
      "the open row",
      () => reader.row("新米と土鍋").getAttribute("data-open"),
      "true",
    );

    await reader.goTo("Small Tools");
    await reader.openRow("Plain text, twice");
    await reader.page.goBack();
    await eventuallyEquals("the address", () => reader.path().split("/i/").length, 1);
    await reader.page.goBack();
    await reader.articleShows("新米と土鍋");
    assert.equal(reader.path(), `/feed/${item.feedId}/i/${item.id}`);

    reader.watch.expectStatus(404);
    await reader.open(`/feed/${item.feedId}/i/9999999999`);
    await reader.page.getByText("This article is no longer available").waitFor();
    await reader.page.locator(".article-pane").getByText("Back to list").click();
    await eventuallyEquals("the address", () => reader.path(), `/feed/${item.feedId}`);
  });
});

test("an item that is closed leaves nothing in the history; a deep link becomes its list", async () => {
  await app.visit({ as: owner }, async (reader) => {
    await reader.open("/all");
    await reader.goTo("The Quiet Web");
    const list = reader.path();
    await reader.openRow("Why feeds still matter");
    await reader.press("j");
    await reader.press("j");
    await reader.press("Escape");
    await eventuallyEquals("the list", () => reader.path(), list);
    await eventuallyEquals("the focus", () => reader.focus(), "a row");
    await reader.page.goBack();
    await eventuallyEquals("the list before", () => reader.path(), "/all");

    // Whoever is quick: what comes after the way back waits for it.
    await reader.page.goForward();
    await eventuallyEquals("the list", () => reader.path(), list);
    await reader.openRow("Why feeds still matter");
    await reader.page.keyboard.press("u");
    await reader.page.keyboard.press("u");
    await reader.page.keyboard.press("Shift+Digit1");
    await eventuallyEquals("the filter", () => reader.path(), `${list}?f=unread`);
    await reader.page.goBack();
    await eventuallyEquals("the list", () => reader.path(), list);

    const item = await reader.api.item("季節の道具箱", "新米と土鍋");
    await reader.open("/starred");
    await reader.open(`/feed/${item.feedId}/i/${item.id}`);
    await reader.articleShows("新米と土鍋");
    await reader.press("u");
    await eventuallyEquals("its list", () => reader.path(), `/feed/${item.feedId}`);
    await reader.page.goBack();
    await eventuallyEquals("what was before", () => reader.path(), "/starred");
  });
});

test("a sample can be unsubscribed from, and brought back by undo", async () => {
  await app.visit({ as: owner }, async (reader) => {
    // A page of the feed may be on its way at the moment it is left.
    reader.watch.expectStatus(404);
    await reader.open("/all");
    await reader.goTo("Small Sounds");
    const place = reader.path();
    await reader.choose("List actions", "Unsubscribe");
    await reader.toast("Unsubscribed from Small Sounds").waitFor();
    await eventuallyEquals("the side bar", () => reader.sideNames(), without("Small Sounds"));
    await eventuallyEquals("the address", () => reader.path(), "/all");
    await reader.press("z");
    await eventuallyEquals("the side bar after undo", () => reader.sideNames(), samples);
    await eventuallyEquals("the list that comes back with it", () => reader.path(), place);

    await reader.goTo("Small Sounds");
    await reader.choose("List actions", "Unsubscribe");
    await eventuallyEquals("the side bar", () => reader.sideNames(), without("Small Sounds"));
    // It is gone from the page at once; a reload in that moment would take its request along.
    const followed = async () => (await reader.api.feeds()).feeds.length;
    await eventuallyEquals("the server's feeds", followed, samples.length - 1);
    await reader.page.reload();
    await eventuallyEquals("the side bar", () => reader.sideNames(), without("Small Sounds"));
  });
});

test("stopped and started again, everything is as it was", async (t) => {
  await app.visit({ as: owner }, async (reader) => {
    await reader.open("/all");
    await reader.settled();
    const titles = await reader.titles();
    const feeds = await reader.api.feeds();
    const items = await reader.api.items();

    const { server } = app.backend;
    if (server) {
      assert.deepEqual(await server.stop(), { code: 0, signal: null });
      assert.match(server.output(), /msg=stopped/);
    } else {
      t.diagnostic(
        "SKIPPED: SIGTERM, in the cloud home: a function has no server that could be stopped",
      );
    }
    await app.backend.restart();

    await reader.page.reload();
    await eventuallyEquals("rows", () => reader.titles(), titles);
    await eventuallyEquals(
      "a removed sample stays away",
      () => reader.sideNames(),
      without("Small Sounds"),
    );
    const after = await reader.api.feeds();
    assert.deepEqual(after.totals, feeds.totals);
    assert.deepEqual(
      after.feeds.map(({ title, unreadCount }) => [title, unreadCount]),
      feeds.feeds.map(({ title, unreadCount }) => [title, unreadCount]),
    );
    assert.deepEqual(await reader.api.items(), items);
  });
});

function without(name: string): string[] {
  return samples.filter((title) => title !== name);
}
