// What goes wrong is told with what helps, and the reader goes on by itself where it can (UI.md, error words).
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assertAccessible } from "./harness/axe.ts";
import { settles } from "./harness/eventually.ts";
import { artifacts } from "./harness/places.ts";
import type { Reader } from "./harness/reader.ts";
import { say } from "./harness/words.ts";
import { openWorld, password, type World } from "./harness/world.ts";

let world: World;

before(async () => {
  world = await openWorld();
});
after(() => world?.close());

interface Refusal {
  status: number;
  code: string;
  category: string;
  retryAfter?: number;
}

interface Answer {
  item: object;
  items: object[];
  tree: object;
}

/** The server refuses every list until it is told otherwise. */
async function refuses(reader: Reader, refusal: Refusal): Promise<() => Promise<void>> {
  const { status, retryAfter, ...problem } = refusal;
  const lists = /\/api\/items\?/;
  reader.watch.expectStatus(status);
  await reader.page.route(lists, (route) =>
    route.fulfill({
      status,
      headers: {
        "X-Request-Id": "req-0815",
        ...(retryAfter ? { "Retry-After": String(retryAfter) } : {}),
      },
      json: { ...problem, message: "what the log says", action: "" },
    }),
  );
  return () => reader.page.unrouteAll({ behavior: "wait" });
}

/** On phones the bar lies over the list: what the list says begins below it. */
async function isBelowBar(reader: Reader, what: string): Promise<void> {
  const [bar, first] = await reader.page.evaluate((selector) => {
    const edge = (one: Element | null) => one?.getBoundingClientRect() ?? new DOMRect();
    const pane = document.querySelector(".list-pane");
    const head = edge(pane?.querySelector(".pane-head") ?? null);
    return [
      { height: head.height, bottom: head.bottom },
      edge(pane?.querySelector(selector) ?? null).top,
    ] as const;
  }, what);
  assert.equal(bar.height, 56, "the bar's height");
  assert.ok(first >= bar.bottom, `${what} begins at ${first}, the bar ends at ${bar.bottom}`);
}

async function picture(reader: Reader, name: string): Promise<void> {
  await assertAccessible(reader.page, name);
  await mkdir(artifacts, { recursive: true });
  await reader.page.screenshot({ path: join(artifacts, `error-${name}.png`) });
}

for (const [locale, width, scheme] of [
  ["en", 1440, "dark"],
  ["ja", 390, "light"],
] as const) {
  test(`a limit is waited for, a fault of ours has a code (${locale}, ${width})`, async () => {
    const as = await world.user(`errors-${locale}@example.org`);
    await world.visit({ as, locale, width, scheme }, async (reader) => {
      await reader.api.addFeed(world.publisher.url("/feeds/plain.xml"));
      const note = reader.page.locator(".list-pane .note");
      const pause = reader.page.locator(".offline-bar", {
        hasText: say(locale, "The server asks for a pause. What is shown stays, the rest follows."),
      });
      const limit = { status: 429, code: "rate_limited", category: "system" };
      let allow = await refuses(reader, { ...limit, retryAfter: 5 });
      await reader.page.goto(`${world.ruri.base}/all`);
      await pause.waitFor();
      assert.equal(await note.count(), 0, "a pause is no error");
      await picture(reader, `limit-${locale}-${width}`);
      await allow();
      // Nobody presses anything.
      await settles("the rows", async () => (await reader.titles()).length, 5);
      await isBelowBar(reader, ".scroll [role=feed]");

      allow = await refuses(reader, { status: 500, code: "internal", category: "system" });
      await reader.page.reload();
      await note.locator("code", { hasText: "internal · req-0815" }).waitFor();
      await note.getByRole("button", { name: say(locale, "Copy the code") }).waitFor();
      await picture(reader, `ours-${locale}-${width}`);
      await allow();
      await note.getByRole("button", { name: say(locale, "Try again") }).press("Enter");
      await settles("the rows", async () => (await reader.titles()).length, 5);
    });
  });
}

test("who is signed out in the middle signs in, and is back at the same address", async () => {
  const as = await world.user("expired@example.org");
  await world.visit({ as }, async (reader) => {
    await reader.api.addFeed(world.publisher.url("/feeds/plain.xml"));
    await reader.open("/all?f=unread");
    await reader.openRow("A walk at noon");
    const address = reader.path();
    assert.match(address, /^\/all\/i\/\d+\?f=unread$/);
    // What opening an item asks for and sends by itself would lead there before the key does, and take it for a letter.
    await settles(
      "its mark",
      async () => (await reader.api.item("Plain Notes", "A walk at noon")).isRead,
      true,
    );
    await reader.quiet();
    await reader.page.context().clearCookies();
    reader.watch.expectStatus(401);
    await reader.press("r");
    await reader.page.locator(".note", { hasText: "Your sign-in has expired." }).waitFor();
    await settles("the focus", () => reader.focus(), "input.");
    await reader.page.keyboard.type("expired@example.org");
    await reader.page.keyboard.press("Tab");
    await reader.page.keyboard.type(password);
    await reader.page.keyboard.press("Enter");
    await reader.articleShows("A walk at noon");
    assert.equal(reader.path(), address);
  });
});

test("a part of the page that does not come leaves the others working", async () => {
  const as = await world.user("part@example.org");
  await world.visit({ as }, async (reader) => {
    await reader.api.addFeed(world.publisher.url("/feeds/plain.xml"));
    reader.watch.expect(/article-pane|Failed to (load|fetch)|load preload assets/);
    await reader.page.route(/\/assets\/article-pane/, (route) => route.abort());
    await reader.open("/all");
    await reader.row("A walk at noon").locator(".title a").click();
    const missing = reader.page.getByText("A part of the page could not be loaded.");
    await missing.waitFor();
    assert.equal((await reader.titles()).length, 5);
    await reader.side("Starred").click();
    await settles("the address", () => reader.path(), "/starred");
    await reader.page.goBack();
    await missing.waitFor(); // it is asked for again: only then may it be had
    await picture(reader, "part");
    await reader.page.unrouteAll({ behavior: "wait" });
    await reader.page.getByRole("button", { name: "Load the page again" }).click();
    await reader.articleShows("A walk at noon");
  });
});

test("a pane that fails leaves the others working, and is asked for anew", async () => {
  const as = await world.user("fails@example.org");
  await world.visit({ as }, async (reader) => {
    const { page } = reader;
    const { id } = await reader.api.addFeed(world.publisher.url("/feeds/plain.xml"));
    const other = await reader.api.addFeed(world.publisher.url("/feeds/podcast.xml"));
    reader.watch.expect(/TypeError|React error/);
    /** Answers that no server of ours gives: what draws them throws. */
    const spoil = async (path: RegExp, change: (answer: Answer) => void) => {
      await page.route(path, async (route) => {
        const response = await route.fetch();
        const json = await response.json();
        change(json);
        await route.fulfill({ response, json });
      });
      return () => page.unrouteAll({ behavior: "wait" });
    };
    const failed = (pane: string) => page.locator(`${pane} .state`, { hasText: "has failed" });
    const again = { name: "Load this part again" };

    let mend = await spoil(/\/api\/items\/\d+$/, ({ item }) =>
      Object.assign(item, { enclosures: 7 }),
    );
    await reader.open(`/feed/${id}`);
    await reader.row("A walk at noon").locator(".title a").click();
    await failed(".article-pane").getByText("TypeError").waitFor();
    assert.notEqual(await reader.focus(), "body");
    await picture(reader, "article-fails");
    assert.equal((await reader.titles()).length, 5);
    await reader.side("Spoken Words").waitFor();
    await mend();
    await page.getByRole("button", again).click();
    await reader.articleShows("A walk at noon");

    mend = await spoil(/\/api\/feeds\/\d+\/items\?/, ({ items }) =>
      Object.assign(items[0] ?? {}, { categories: 7, enclosures: 7, title: {} }),
    );
    await reader.side("Spoken Words").click();
    await failed(".list-pane").waitFor();
    await picture(reader, "list-fails");
    // Another list gets another chance, and so does this one.
    await reader.goTo("Plain Notes");
    await settles("the rows", async () => (await reader.titles()).length, 5);
    await mend();
    await page.goto(`${world.ruri.base}/feed/${other.id}`);
    await settles("the rows", async () => (await reader.titles()).length, 2);

    mend = await spoil(/\/api\/me$/, ({ tree }) => Object.assign(tree, { labels: null }));
    await page.reload();
    await settles("the rows", async () => (await reader.titles()).length, 2);
    await failed(".side").waitFor();
    await picture(reader, "side-fails");
    await reader.openRow("Episode 2: The second");
    await mend();
  });
});
