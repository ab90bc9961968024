// Subscriptions and their health: what is wrong and what helps, the table with its keys, many changed at once and
// taken back, a subscription's own page. G-10, G-28, G-59, C-30
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { serverText } from "./harness/catalog.ts";
import { eventually, eventuallyEquals, hasFocus } from "./harness/eventually.ts";
import type { Reader } from "./harness/reader.ts";

interface Feed {
  id: string;
  url: string;
  title: string;
  folders: string[];
  status: string;
  isMuted: boolean;
  customTitle: string | null;
  ownIntervalMinutes: number;
}

let app: App;

before(async () => {
  app = await startApp();
});
after(() => app?.close());

/** A person with three feeds in order, one that is gone from a site which names another, and one in trouble. */
async function someone(name: string) {
  const as = await app.user(name);
  const at = (path: string) => app.publisher.url(path);
  await app.visit({ as }, async ({ api, page, base }) => {
    const outline = (text: string, path: string, more = "") =>
      `<outline type="rss" text="${text}" xmlUrl="${at(path)}"${more}/>`;
    const response = await page.request.post(`${base}/api/import/opml`, {
      headers: { "Content-Type": "text/x-opml" },
      data: `<opml version="2.0"><body>
        <outline text="Tech">${outline("Plain", "/feeds/plain.xml")}${outline("Long", "/feeds/long.xml")}</outline>
        <outline text="Sounds">${outline("Spoken", "/feeds/podcast.xml")}</outline>
        ${outline("Rainy days", "/status/404", ` htmlUrl="${at("/pages/site.html")}"`)}
        ${outline("Overloaded", "/status/503")}
      </body></opml>`,
    });
    // 202 while feeds are still on their way.
    assert.ok([200, 202].includes(response.status()), `the import: ${response.status()}`);
    await eventually(
      "the first fetches",
      () => api.get<{ feeds: Feed[] }>("/api/feeds"),
      ({ feeds }) => feeds.length === 5 && feeds.every((feed) => feed.status !== "waiting"),
    );
  });
  return as;
}

const feedsOf = async (reader: Reader) =>
  (await reader.api.get<{ feeds: Feed[] }>("/api/feeds")).feeds;
const named = async (reader: Reader, name: string) =>
  (await feedsOf(reader)).find((feed) => (feed.customTitle ?? feed.title) === name);

async function openList(reader: Reader): Promise<void> {
  await reader.page.goto(`${app.backend.base}/subscriptions`);
  await reader.page.locator(".page :is(.feeds, .cards, .state)").first().waitFor();
}

const names = (reader: Reader) =>
  reader.page.locator(".feeds tbody .feed-name a").allTextContents();

test("the menu leads to the subscriptions; a lost feed is found again and read at its new address", async () => {
  const as = await someone("subscriptions-lost");
  await app.visit({ as }, async (reader) => {
    await reader.open("/all");
    await reader.choose("Manage", "Subscriptions");
    const row = reader.page.locator(".trouble [data-row]", { hasText: "Rainy days" });
    await row.getByText(serverText("en", "http_404", "feed").message).waitFor();
    assert.equal(reader.path(), "/subscriptions");
    await eventuallyEquals("the title", () => reader.page.title(), "Subscriptions · Ruri");
    await eventuallyEquals("the focus", () => reader.focus(), "h1.");
    const all = ["Long", "Overloaded", "Plain", "Rainy days", "Spoken"];
    await eventuallyEquals("the rows", () => names(reader), all);

    await row.getByRole("button", { name: "Find new address: Rainy days" }).click();
    await row.getByText("Feed found on the site:").waitFor();
    await row.getByRole("button", { name: "Use this address: Rainy days" }).click();
    await reader.toast("Address of Rainy days updated").waitFor();
    await eventuallyEquals(
      "the red rows",
      () => reader.page.locator(".trouble [data-row]").count(),
      1,
    );
    assert.equal(
      (await named(reader, "Rainy days"))?.url,
      app.publisher.url("/feeds/nihongo.atom"),
    );
    await hasFocus(reader);

    // Where nothing is found, it says where it looked.
    reader.watch.expectStatus(422);
    const other = reader.page.locator(".trouble [data-row]", { hasText: "Overloaded" });
    await other.getByRole("button", { name: "Find new address: Overloaded" }).click();
    await other.getByText("No other feed was found").waitFor();
    await other.getByText("Addresses tried").click();
    assert.ok((await other.locator("details li").count()) > 0);
  });
});

test("rows are chosen by keys alone, changed together, and changed back", async () => {
  const as = await someone("bulk");
  await app.visit({ as }, async (reader) => {
    const { page } = reader;
    await openList(reader);
    await page.getByRole("searchbox").focus();
    await page.keyboard.type("tech");
    await eventuallyEquals("the rows", () => names(reader), ["Long", "Plain"]);
    await page.keyboard.press("Tab");
    for (let at = 0; at < 9; at += 1) await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.id.startsWith("box-")), true);
    await page.keyboard.press("Space");
    await page.keyboard.press("Shift+ArrowDown");
    await page.locator(".bulk").getByText("2 selected").waitFor();
    await page.locator(".bulk button", { hasText: "Edit…" }).focus();
    await page.keyboard.press("Enter");
    const dialog = reader.dialog();
    await dialog.getByLabel("Tech").uncheck();
    await dialog.getByLabel("New folder").fill("夜に読む");
    await page.keyboard.press("Enter");
    await eventuallyEquals("the new folder", () => dialog.getByLabel("夜に読む").isChecked(), true);
    await dialog.getByLabel("Interval").selectOption("90");
    await dialog.getByLabel("Muted").selectOption("on");
    await dialog.getByRole("button", { name: "Apply" }).click();
    await reader.toast("2 feeds updated").waitFor();
    const state = async () =>
      (await feedsOf(reader))
        .filter(({ title }) => title.startsWith("Plain") || title.startsWith("The Long"))
        .map((feed) => [feed.folders.length, feed.ownIntervalMinutes, feed.isMuted]);
    // Its toast is there while it is still on its way.
    await eventuallyEquals("the feeds", state, [
      [1, 90, true],
      [1, 90, true],
    ]);
    // They are not in the folder that was looked for any more.
    await page.getByRole("searchbox").fill("夜");
    await eventuallyEquals("the rows", () => names(reader), ["Long", "Plain"]);
    await page.getByRole("searchbox").fill("");
    await page.locator("#all-feeds").click();
    await page.keyboard.press("z");
    await eventuallyEquals("the state", state, [
      [1, 0, false],
      [1, 0, false],
    ]);
    // Escape takes the choice back before it leaves the page.
    await page.keyboard.press("Escape");
    await eventuallyEquals("the bar", () => page.locator(".bulk").count(), 0);
    assert.equal(reader.path(), "/subscriptions");
    await hasFocus(reader);
  });
});

test("feeds that were left come back with all that was set for them", async () => {
  const as = await someone("left");
  await app.visit({ as }, async (reader) => {
    const { page } = reader;
    await openList(reader);
    const plain = await named(reader, "Plain");
    const boxes = page.locator(".feeds [data-row] input[type=checkbox]");
    await boxes.nth(0).click();
    await boxes.nth(3).click({ modifiers: ["Shift"] });
    await page.locator(".bulk").getByRole("button", { name: "Unsubscribe" }).click();
    await reader.toast("Unsubscribed from 4 feeds").waitFor();
    await eventuallyEquals("the rows", () => names(reader), ["Spoken"]);
    await eventuallyEquals("the feeds", async () => (await feedsOf(reader)).length, 1);
    await hasFocus(reader);
    await page.keyboard.press("z");
    await eventuallyEquals("the rows", async () => (await names(reader)).length, 5);
    await eventually(
      "the folder",
      () => named(reader, "Plain"),
      (seen) => seen?.folders.join() === plain?.folders.join(),
    );
  });
});

// G-10, C-30
test("a subscription's own page: name, folders, address and fetches, and the way back", async () => {
  const as = await someone("detail");
  await app.visit({ as }, async (reader) => {
    const { page } = reader;
    await openList(reader);
    await page.locator(".feeds").getByRole("link", { name: "Plain" }).focus();
    await page.keyboard.press("Enter");
    await page.locator(".table-box tbody tr").first().waitFor();
    const cells = await page.locator(".table-box tbody tr").first().locator("td").allTextContents();
    assert.equal(cells[1], "5 new articles");
    assert.equal(cells[2], "200");

    await page.getByLabel("Custom name").fill("Plain and simple");
    await page.keyboard.press("Enter");
    await reader.toast("Renamed to Plain and simple").waitFor();
    await page.locator(".page h1", { hasText: "Plain and simple" }).waitFor();
    await page.getByRole("checkbox", { name: "Sounds" }).click();
    await reader.toast("Plain and simple moved").waitFor();
    await page.getByLabel("Interval").selectOption("120");
    await reader.toast("Interval changed for").waitFor();
    await eventually(
      "what was set",
      () => named(reader, "Plain and simple"),
      (seen) => seen?.folders.length === 2 && seen.ownIntervalMinutes === 120,
    );

    await page.getByLabel("Custom name").fill("x".repeat(201));
    await page.getByText("Use at most 200 characters.").waitFor();
    await page.locator("#fetching").click();
    await page.keyboard.press("u");
    await page.locator(".feeds").waitFor();
    assert.equal(reader.path(), "/subscriptions");
    await eventuallyEquals(
      "the focus",
      () => page.evaluate(() => document.activeElement?.textContent),
      "Plain and simple",
    );

    await page.goto(`${app.backend.base}/subscriptions/99999`);
    await page.getByText("You are not subscribed to this feed.").waitFor();
  });
});

// Last: it changes what all readers of these feeds see.
// G-28, G-59
test("a stopped feed is resumed; one that fails is fetched now, given another address, or left", async () => {
  const as = await someone("remedies");
  await app.visit({ as }, async (reader) => {
    const { page } = reader;
    reader.watch.expectStatus(409, 422);
    await openList(reader);
    const rows = page.locator(".trouble [data-row]");
    const press = (label: string, name: string) =>
      page.getByRole("button", { name: `${label}: ${name}` }).click();

    await press("Refresh now", "Overloaded");
    await reader.toast(/Just checked\. Try again in|The site asks to wait/).waitFor();
    await press("Unsubscribe", "Overloaded");
    await reader.toast("Unsubscribed from Overloaded").waitFor();
    await eventuallyEquals("the red rows", () => rows.count(), 1);
    await hasFocus(reader);
    await page.keyboard.press("z");
    await eventuallyEquals("the feeds", async () => (await feedsOf(reader)).length, 5);

    await press("Change address…", "Rainy days");
    await reader.dialog().waitFor();
    await page.keyboard.press("Escape");
    await eventuallyEquals("the dialog", () => reader.dialog().count(), 0);
    await eventuallyEquals("the focus", () => reader.focus(), "button.btn ");
    await press("Change address…", "Rainy days");
    await reader.dialog().locator("input[type=url]").fill(app.publisher.url("/feeds/nihongo.atom"));
    await page.keyboard.press("Enter");
    await reader.toast("Address of Rainy days updated").waitFor();
    await eventuallyEquals("the dialog", () => reader.dialog().count(), 0);
    await eventuallyEquals(
      "the address",
      async () => (await named(reader, "Rainy days"))?.url,
      app.publisher.url("/feeds/nihongo.atom"),
    );
    await hasFocus(reader);
  });
  const other = await someone("resumes");
  await app.visit({ as: other }, async (reader) => {
    await openList(reader);
    await reader.page.getByRole("button", { name: "Resume: Rainy days" }).click();
    await reader.toast("Feed resumed").waitFor();
    await eventuallyEquals(
      "the feed",
      async () => (await named(reader, "Rainy days"))?.status !== "stopped",
      true,
    );
    await hasFocus(reader);
  });
});
