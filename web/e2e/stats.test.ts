// The statistics page: real figures of a real server, dead letters that are retried and dropped, who may see what,
// and keys.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assertAccessible } from "./harness/axe.ts";
import { eventually, settles } from "./harness/eventually.ts";
import { artifacts } from "./harness/places.ts";
import type { Reader } from "./harness/reader.ts";
import { withWeek } from "./harness/week.ts";
import { openWorld, type World } from "./harness/world.ts";

interface Stats {
  days: { day: string; runs: number; polled: number }[];
  units: { crawlWrites: number; writeBudget: number | null };
  failing: { id: string; title: string; host: string; error: { code: string } }[];
}
interface DeadLetters {
  deadLetters: { id: string; reason: string }[];
}

const screens = join(artifacts, "screens");
let world: World;
let owner: Awaited<ReturnType<World["owner"]>>;

before(async () => {
  await mkdir(screens, { recursive: true });
  world = await openWorld({ samples: true });
  owner = await world.owner();
});
after(() => world?.close());

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

async function openStats(reader: Reader): Promise<void> {
  await reader.page.goto(`${world.ruri.base}/stats`);
  await reader.page.locator(".stats .big").first().waitFor();
}

test("the menu leads to the figures, which are those of the server, and back", async () => {
  await world.visit({ as: owner }, async (reader) => {
    await reader.api.importOpml([
      world.publisher.url("/status/404"),
      world.publisher.url("/status/503"),
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
    await settles("the title", () => reader.page.title(), "Statistics · Ruri");
    await settles("the focus", () => reader.focus(), "h1.");

    const shown = await card(reader, "Write units today").locator(".facts dd").allTextContents();
    assert.equal(Number(shown[0]?.replace(",", "")), stats.units.crawlWrites);
    // A reader that began today is measured against nothing.
    assert.equal(stats.units.writeBudget, null);
    assert.equal(await reader.page.getByRole("meter").count(), 0);

    // The table behind the picture has the server's own numbers.
    const polls = card(reader, "Polls");
    await polls.getByText("Show as a table").click();
    const cells = await polls.locator("tbody tr").first().locator("td").allTextContents();
    const today = stats.days.at(-1);
    assert.equal(
      cells.reduce((sum, cell) => sum + Number(cell), 0),
      today?.polled,
    );
    assert.equal(await polls.locator("tbody tr").count(), 7);

    // What was read counts for today, and in its feed.
    const reading = card(reader, "Reading");
    await reading.getByText("Show as a table").click();
    const today3 = () => reading.locator("tbody tr").first().locator("td").allTextContents();
    await settles("what was read today", today3, ["3", "0", "0"]);
    const most = card(reader, "Most read").locator("tbody td.num");
    const sum = async () => (await most.allTextContents()).reduce((n, one) => n + Number(one), 0);
    await settles("what was read of each", sum, 3);
    await card(reader, "A month in the cloud")
      .getByText("The projection begins tomorrow")
      .waitFor();

    const failing = card(reader, "Feeds that fail");
    const rows = failing.locator("li");
    await settles("the failing feeds", () => rows.count(), 2);
    // The stopped one comes first, with its remedy.
    await rows.first().getByText("The feed is gone from this address (404).").waitFor();
    await rows
      .first()
      .getByRole("button", { name: /^Resume/ })
      .waitFor();
    await rows
      .nth(1)
      .getByRole("button", { name: /^Fetch now/ })
      .waitFor();
    // An answer of its own, which may come later.
    await card(reader, "Latest runs").locator("tbody tr").first().waitFor();

    await rows.first().getByRole("link").click();
    await settles("the address", () => reader.path(), `/feed/${stats.failing[0]?.id}`);
    await reader.page.goBack();
    await reader.page.locator(".stats .big").first().waitFor();
    await reader.page.getByRole("link", { name: "Back to the items" }).click();
    await reader.page.locator(".list-pane .row").first().waitFor();
    assert.equal(reader.path(), "/all");
  });
});

test("the remedy at a failing feed is carried out, or says when it may be", async () => {
  await world.visit({ as: owner }, async (reader) => {
    reader.watch.expectStatus(409);
    await openStats(reader);
    const rows = card(reader, "Feeds that fail").locator("li");
    await rows
      .nth(1)
      .getByRole("button", { name: /^Fetch now/ })
      .click();
    await reader.toast(/Just checked\. Try again in|The site asks to wait/).waitFor();
    await rows
      .first()
      .getByRole("button", { name: /^Resume/ })
      .click();
    await reader.toast("The feed is fetched again from now on.").waitFor();
    await settles("the failing feeds", () => rows.count(), 1);
  });
});

test("keys lead there and back, and the page scrolls by them", async () => {
  await world.visit({ as: owner, height: 500 }, async (reader) => {
    await reader.open("/all");
    await reader.pressAll(["g", "t"]);
    await reader.page.locator(".stats .big").first().waitFor();
    const main = reader.page.locator(".stats > main");
    await settles("the focus", () => reader.focus(), "h1.");
    await reader.page.keyboard.press("Tab"); // 7 days
    await reader.page.keyboard.press("Tab");
    await reader.page.keyboard.press("Enter");
    await settles("the days", () => card(reader, "Polls").locator("tbody tr").count(), 30);
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

test("dead letters are sent again and dropped by the owner, by keyboard too", async (t) => {
  const { server } = world.ruri;
  if (!server) return t.skip("in the cloud the queue is no file to put dead letters into");
  const file = join(server.data, "queue.db");
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(file);
  db.exec("PRAGMA busy_timeout = 5000");
  const bury = db.prepare(
    "INSERT INTO queue_dead (seq, body, sent, died, receives, reason) VALUES (?, ?, ?, ?, 5, ?)",
  );
  const then = Date.now() - 3_600_000;
  bury.run(900_001, Buffer.from('{"kind":"nonsense"}'), then, then, "max_receives");
  bury.run(
    900_002,
    Buffer.from('{"kind":"first","feeds":["1"]}'),
    then + 1000,
    then,
    "storage_unavailable",
  );
  bury.run(
    900_003,
    Buffer.from('{"kind":"refresh","feeds":["1"]}'),
    then + 2000,
    then,
    "storage_unavailable",
  );
  db.close();
  await world.visit({ as: owner }, async (reader) => {
    const left = async () =>
      (await reader.api.get<DeadLetters>("/api/stats/dead-letters")).deadLetters.map(
        (d) => d.reason,
      );
    await openStats(reader);
    const section = card(reader, "Dead letters");
    const rows = section.locator("li");
    await settles("the letters", () => rows.count(), 3);
    await assertAccessible(reader.page, "dead letters");
    await rows.first().getByText("It was tried as often as allowed, and left no reason.").waitFor();

    // Dropping asks; Escape keeps, and the focus stays where it was.
    const drop = rows.first().getByRole("button", { name: "Drop", exact: true });
    await drop.focus();
    await reader.page.keyboard.press("Enter");
    await rows.first().getByRole("group", { name: "Drop it for good?" }).waitFor();
    await assertAccessible(reader.page, "a dead letter about to be dropped");
    await section.screenshot({ path: join(screens, "stats-drop.png") });
    await reader.page.keyboard.press("Escape");
    await settles("the focus", () => drop.evaluate((b) => b === document.activeElement), true);
    assert.equal(reader.path(), "/stats");
    assert.equal((await left()).length, 3);
    await reader.page.keyboard.press("Enter");
    await reader.page.keyboard.press("Enter");
    await reader.toast("The message was dropped.").waitFor();
    await settles("the letters", () => rows.count(), 2);
    await settles("what is left", left, ["storage_unavailable", "storage_unavailable"]);
    await settles(
      "the focus is on the next",
      () =>
        rows
          .first()
          .locator("[data-retry]")
          .evaluate((b) => b === document.activeElement),
      true,
    );
    await reader.page.keyboard.press("Enter");
    await reader.toast("The message was sent again.").waitFor();
    await settles("the letters", () => rows.count(), 1);
    await rows.first().getByRole("button", { name: "Drop", exact: true }).click();
    await rows.first().getByRole("button", { name: "Drop", exact: true }).click();
    await section.getByText("No message was given up.").waitFor();
    await settles("the focus", () => reader.focus(), "h2.");
    await settles("what is left", left, []);
  });
});

test("on a phone the way there is by the feeds and the menu, and back is the system's", async () => {
  await world.visit({ as: owner, width: 390, height: 844 }, async (reader) => {
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

test("while the figures are on their way their places are kept", async () => {
  await world.visit({ as: owner }, async (reader) => {
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    await reader.page.route("**/api/stats?*", async (route) => {
      await gate;
      await route.continue();
    });
    await reader.page.goto(`${world.ruri.base}/stats`);
    await reader.page.locator(".stats > main[aria-busy=true] .card .skeleton").first().waitFor();
    await reader.page.getByRole("status").getByText("Loading…").waitFor({ state: "attached" });
    await assertAccessible(reader.page, "stats, loading");
    release();
    await reader.page.locator(".stats .big").first().waitFor();
    const busy = () => reader.page.locator(".stats > main").getAttribute("aria-busy");
    await settles("whether it is busy", busy, "false");
  });
});

test("who is not the owner sees no dead letters, and nobody sees figures without signing in", async () => {
  const as = await world.user("guest@example.org");
  await world.visit({ as }, async (reader) => {
    await openStats(reader);
    await card(reader, "Feeds that fail").getByText("All feeds can be fetched.").waitFor();
    await reader.quiet();
    assert.equal(await card(reader, "Dead letters").count(), 0);
  });
  await world.visit({ as: null }, async (reader) => {
    reader.watch.expectStatus(401);
    await reader.page.goto(`${world.ruri.base}/stats`);
    await reader.page.locator("#email").waitFor();
    assert.equal(new URL(reader.page.url()).searchParams.get("next"), "/stats");
  });
});

test("what cannot be read says so and is tried again; nothing yet says what comes", async () => {
  await world.visit({ as: owner }, async (reader) => {
    reader.watch.expectStatus(503);
    let broken = true;
    for (const path of ["/api/stats?*", "/api/stats/dead-letters", "/api/runs?*"]) {
      await reader.page.route(`${world.ruri.base}${path}`, async (route) => {
        if (!broken) return route.continue();
        await route.fulfill({
          status: 503,
          json: { code: "storage_unavailable", message: "", category: "system", action: "" },
        });
      });
    }
    await reader.page.goto(`${world.ruri.base}/stats`);
    await settles(
      "the notes",
      () => reader.page.getByText("The storage does not answer at the moment.").count(),
      3,
    );
    await assertAccessible(reader.page, "stats, errors");
    broken = false;
    for (let n = 3; n > 0; n -= 1) {
      await reader.page.getByRole("button", { name: "Try again" }).first().click();
      await settles(
        "the notes",
        () => reader.page.getByRole("button", { name: "Try again" }).count(),
        n - 1,
      );
    }
    await reader.page.locator(".stats .big").first().waitFor();
  });
  await world.visit({ as: owner }, async (reader) => {
    await withWeek(reader.page, { isEmpty: true });
    await openStats(reader);
    await reader.page.getByText("The crawler has not run yet.").waitFor();
    await settles("the hints", () => reader.page.getByText("The figures begin with").count(), 2);
    await assertAccessible(reader.page, "stats, empty");
  });
});
