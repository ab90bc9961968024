// Searching: typing, results as a list, saving, finding what came later; by keys, on a phone, without a network.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { assertAccessible } from "./harness/axe.ts";
import { message } from "./harness/catalog.ts";
import { eventually, eventuallyEquals } from "./harness/eventually.ts";
import { offlineKeys } from "./harness/offline-store.ts";
import { isRehearsal } from "./harness/paths.ts";
import type { Reader } from "./harness/reader.ts";

let app: App;

before(async () => {
  app = await startApp();
});
after(() => app?.close());

/** The requests for results so far. */
function searches(reader: Reader): string[] {
  const asked: string[] = [];
  reader.page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === "/api/search") asked.push(searchParams.get("q") ?? "");
  });
  return asked;
}

/** The addresses of the answers that this device keeps for reading offline. */
const keptAnswers = (reader: Reader) => offlineKeys(reader, "answers");

const marks = (reader: Reader) => reader.rows().locator("mark").allTextContents();

// H-4, H-12, H-25
test("桜 is typed, a result is read, the search is saved, and finds what comes later", async () => {
  const as = await app.user("sakura");
  await app.visit({ as, locale: "ja" }, async (reader) => {
    const { page } = reader;
    const asked = searches(reader);
    await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await reader.api.addFeed(app.publisher.url(`/grow/${encodeURIComponent("桜")}.xml`));
    await reader.open("/all");
    await reader.settled();

    await page.keyboard.press("/");
    // What is composed needs the box; keys alone would wait for it.
    await page.locator(".search-box input:focus").waitFor();
    await page.keyboard.type("桜");
    await reader.quiet();
    assert.deepEqual(asked, [], "nothing is asked for while it is typed");
    await page.keyboard.press("Enter");
    const titles = ["桜 number 3", "桜 number 2", "桜 number 1"];
    await eventuallyEquals("the results", () => reader.titles(), titles);
    assert.equal(reader.path(), `/search?q=${encodeURIComponent("桜")}`);
    assert.ok((await marks(reader)).every((text) => text === "桜"));
    assert.deepEqual(asked, ["桜"]);

    await reader.openRow("桜 number 2");
    const second = reader.row("桜 number 2");
    await eventuallyEquals("read", () => second.getAttribute("data-read"), "true");
    await page.goBack();
    await eventuallyEquals(
      "the address",
      () => reader.path(),
      `/search?q=${encodeURIComponent("桜")}`,
    );
    await eventuallyEquals("the results", () => reader.titles(), titles);
    assert.equal(await second.getAttribute("data-read"), "true");
    assert.deepEqual(asked, ["桜"], "the list is still there");

    await page.getByRole("button", { name: message("ja", "Save search") }).click();
    await reader.dialog().getByRole("textbox").fill("花だより");
    await page.keyboard.press("Enter");
    await reader.side("花だより").waitFor();

    // A crawl brings more.
    await reader.api.addFeed(app.publisher.url(`/grow/${encodeURIComponent("夜桜")}.xml`));
    await page.reload();
    await reader.side("花だより").click();
    await eventuallyEquals(
      "the heading",
      () => page.locator(".list-pane h1").textContent(),
      "花だより",
    );
    await eventually(
      "the new matches",
      () => reader.titles(),
      (seen) => seen.includes("夜桜 number 3") && seen.includes("桜 number 2"),
    );
    assert.equal(await reader.row("桜 number 2").getAttribute("data-read"), "true");
    assert.equal(await reader.row("夜桜 number 3").getAttribute("data-read"), "false");
  });
});

test("a search by keys alone: suggestions, results, chips, and back to the box", async () => {
  const as = await app.user("search-keys");
  await app.visit({ as }, async (reader) => {
    const { page } = reader;
    await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await reader.open("/all");
    await reader.settled();
    await reader.press("/");
    await page.locator(".search-box input:focus").waitFor();
    // Titles at once, with the keys still in the box; a further letter moves nothing.
    await page.keyboard.type("kett");
    await eventuallyEquals("the titles", () => reader.titles(), ["What the kettle said"]);
    assert.equal(reader.path(), "/search?q=kett&typed=1");
    await page.keyboard.type("le");
    await eventuallyEquals("the address", () => reader.path(), "/search?q=kettle&typed=1");
    assert.deepEqual(await reader.titles(), ["What the kettle said"]);
    await reader.showsNoShift("the titles");
    await assertAccessible(page, "while one types");
    await reader.press("Enter");
    await eventuallyEquals("the address", () => reader.path(), "/search?q=kettle");
    await eventuallyEquals("the results", () => reader.titles(), ["What the kettle said"]);
    await page.getByRole("status").filter({ hasText: "1 result in 1 feed" }).waitFor();
    await reader.showsNoShift("the results");
    await assertAccessible(page, "the results");
    await reader.press("j");
    await reader.articleShows("What the kettle said");
    await reader.press("u");
    await eventuallyEquals("the address", () => reader.path(), "/search?q=kettle");
    await reader.press("s");
    const first = async () =>
      (await reader.api.items()).find((one) => one.title.includes("kettle"));
    await eventuallyEquals("read on the server", async () => (await first())?.isRead, true);
    await reader.press("Shift+Digit1");
    await eventuallyEquals("the address", () => reader.path(), "/search?q=kettle&f=unread");
    await page.getByText("No results for “kettle”").waitFor();
    await assertAccessible(page, "no results");

    await reader.press("/");
    await eventuallyEquals("the box", () => reader.focus(), "input.");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("plain");
    await page.keyboard.press("ArrowDown");
    const option = page.locator(".search-list [role=option]");
    await eventuallyEquals("suggestions", () => option.allTextContents(), ["PPlain NotesFeed"]);
    await assertAccessible(page, "suggestions");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator(".list-pane h1", { hasText: "Plain Notes" }).waitFor();
    await reader.press("Shift+Digit3");
    await eventuallyEquals("starred", () => reader.titles(), ["What the kettle said"]);
  });
});

test("on a phone searching is a tab, and a saved search opens without a network", {
  skip: isRehearsal,
}, async () => {
  const as = await app.user("search-phone");
  await app.visit({ as, width: 390, height: 844, offline: true }, async (reader) => {
    const { page } = reader;
    await reader.api.addFeed(app.publisher.url("/feeds/nihongo.atom"));
    const { id } = await reader.api.send<{ id: string }>("POST", "/api/searches", {
      name: "雨",
      q: "雨",
    });
    await reader.open("/all");
    await reader.settled();
    await page.locator("nav.tabbar").getByRole("link", { name: "Search" }).click();
    const box = page.locator(".list-pane").getByRole("combobox", { name: "Search articles" });
    await eventuallyEquals(
      "the box",
      () => box.evaluate((one) => one === document.activeElement),
      true,
    );
    await page.keyboard.type("万年筆");
    await page.keyboard.press("Enter");
    await eventuallyEquals("the results", () => reader.titles(), ["三十五年目の万年筆"]);
    const room = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    assert.equal(room[0], room[1], "nothing is wider than the screen");
    await assertAccessible(page, "results on a phone");

    await page.goto(`${reader.base}/saved/${id}`);
    await reader.rows().first().waitFor();
    const found = await reader.titles();
    await reader.settled();
    // The page's files and the list are on the device.
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    await eventually(
      "what is kept",
      () => keptAnswers(reader),
      (seen) => seen.some((url) => url.startsWith(`/api/searches/${id}/items?`)),
    );
    reader.watch.expect(/ERR_INTERNET_DISCONNECTED|Failed to fetch/);
    await page.context().setOffline(true);
    await page.goto(`${reader.base}/saved/${id}`).catch(() => undefined);
    await eventuallyEquals("the saved search", () => reader.titles(), found);
    await page.goto(`${reader.base}/search?q=tea`).catch(() => undefined);
    await page.getByText("Searching needs a connection").waitFor();
    await page.context().setOffline(false);
  });
});
