// The statistics page with the figures of a real server, by mouse, keys and touch.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { serverText } from "./harness/catalog.ts";
import { eventually, eventuallyEquals } from "./harness/eventually.ts";
import type { Reader } from "./harness/reader.ts";

interface Stats {
  days: { day: string; runs: number; polled: number }[];
  units: { crawlWrites: number; writeBudget: number | null };
  failing: { id: string; title: string; host: string; error: { code: string } }[];
}

let app: App;
let owner: Awaited<ReturnType<App["owner"]>>;

before(async () => {
  app = await startApp({ samples: true });
  owner = await app.owner();
});
after(() => app?.close());

const card = (reader: Reader, heading: string) =>
  reader.page.locator(".card").filter({
    has: reader.page.getByRole("heading", { level: 2, name: new RegExp(`^${heading}`) }),
  });

/** Reads so many items, as another device of the person does. */
async function markRead(reader: Reader, count: number): Promise<void> {
  const { items } = await reader.api.get<{ items: { id: string }[] }>("/api/items?filter=unread");
  for (const { id } of items.slice(0, count))
    await reader.api.send("PUT", `/api/items/${id}/state`, { isRead: true });
}

test("the menu leads to the figures, which are those of the server, and back", async () => {
  await app.visit({ as: owner }, async (reader) => {
    await reader.api.importOpml([
      app.publisher.url("/status/404"),
      app.publisher.url("/status/503"),
    ]);
    await eventually(
      "the failing feeds",
      () => reader.api.get<Stats>("/api/stats"),
      (seen) => seen.failing.length === 2,
    );
    await reader.open("/all");
    await markRead(reader, 3);
    const answer = reader.page.waitForResponse((one) => one.url().includes("/api/stats?"));
    await reader.choose("Settings", "Statistics");
    const stats: Stats = await (await answer).json();
    await reader.page.locator(".stats .big").first().waitFor();
    assert.equal(reader.path(), "/stats");
    await eventuallyEquals("the title", () => reader.page.title(), "Statistics · Ruri");
    await eventuallyEquals("the focus", () => reader.focus(), "h1.");

    const shown = await card(reader, "Write units today").locator(".facts dd").allTextContents();
    assert.equal(Number(shown[0]?.replace(",", "")), stats.units.crawlWrites);
    // A reader that began today is measured against nothing.
    assert.equal(stats.units.writeBudget, null);
    assert.equal(await reader.page.getByRole("meter").count(), 0);

    // The table behind the picture has the server's own numbers.
    const polls = card(reader, "Fetch results");
    await polls.getByText("Show as table").click();
    const cells = await polls.locator("tbody tr").first().locator("td").allTextContents();
    const today = stats.days.at(-1);
    assert.equal(
      cells.reduce((sum, cell) => sum + Number(cell), 0),
      today?.polled,
    );
    assert.equal(await polls.locator("tbody tr").count(), 7);

    // What was read counts for today, and in its feed.
    const reading = card(reader, "Reading");
    await reading.getByText("Show as table").click();
    const today3 = () => reading.locator("tbody tr").first().locator("td").allTextContents();
    await eventuallyEquals("what was read today", today3, ["3", "0", "0"]);
    const most = card(reader, "Most read").locator("tbody td.num");
    const sum = async () => (await most.allTextContents()).reduce((n, one) => n + Number(one), 0);
    await eventuallyEquals("what was read of each", sum, 3);
    await card(reader, "Monthly cloud cost").getByText("Available tomorrow").waitFor();

    const failing = card(reader, "Failing feeds");
    const rows = failing.locator("li");
    await eventuallyEquals("the failing feeds", () => rows.count(), 2);
    // The stopped one comes first, with its remedy.
    await rows
      .first()
      .getByText(serverText("en", "http_404", "feed").message)
      .waitFor();
    await rows
      .first()
      .getByRole("button", { name: /^Resume/ })
      .waitFor();
    await rows
      .nth(1)
      .getByRole("button", { name: /^Refresh now/ })
      .waitFor();
    // An answer of its own, which may come later.
    await card(reader, "Recent runs").locator("tbody tr").first().waitFor();

    await rows.first().getByRole("link").click();
    await eventuallyEquals("the address", () => reader.path(), `/feed/${stats.failing[0]?.id}`);
    await reader.page.goBack();
    await reader.page.locator(".stats .big").first().waitFor();
    await reader.press("u");
    await reader.page.locator(".list-pane .row").first().waitFor();
    assert.equal(reader.path(), "/all");
  });
});

test("keys lead there and back, and the page scrolls by them", async () => {
  await app.visit({ as: owner, height: 500 }, async (reader) => {
    await reader.open("/all");
    await reader.pressAll(["g", "t"]);
    await reader.page.locator(".stats .big").first().waitFor();
    const main = reader.page.locator(".stats > main");
    await eventuallyEquals("the focus", () => reader.focus(), "h1.");
    await reader.page.keyboard.press("Tab"); // 7 days
    await reader.page.keyboard.press("Tab");
    await reader.page.keyboard.press("Enter");
    await eventuallyEquals(
      "the days",
      () => card(reader, "Fetch results").locator("tbody tr").count(),
      30,
    );
    await reader.page.keyboard.press("Tab"); // refresh
    await reader.page.keyboard.press("Tab");
    assert.equal(await reader.focus(), "main.");
    await reader.page.keyboard.press("PageDown");
    await eventually(
      "the scroll",
      () => main.evaluate((box) => box.scrollTop),
      (top) => top > 0,
    );
    await reader.page.keyboard.press("Escape");
    await reader.page.locator(".list-pane .row").first().waitFor();
    assert.equal(reader.path(), "/all");
  });
});

test("on a phone the way there is by the feeds and the menu, and back is the system's", async () => {
  await app.visit({ as: owner, width: 390, height: 844 }, async (reader) => {
    await reader.open("/all");
    const bar = reader.page.locator("nav.tabbar");
    await bar.getByRole("button", { name: "Feeds" }).tap();
    await reader.page.getByRole("button", { name: "Settings", exact: true }).tap();
    await reader.page.getByRole("menuitem", { name: "Statistics" }).tap();
    await reader.page.locator(".stats .big").first().waitFor();
    assert.equal(reader.path(), "/stats");
    await reader.page.goBack();
    await reader.page.locator(".list-pane .row").first().waitFor();
    assert.equal(reader.path(), "/all");
  });
});
