// A watch, from a page without a feed to its results and trend.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { eventually, eventuallyEquals } from "./harness/eventually.ts";
import type { Reader } from "./harness/reader.ts";

interface Watch {
  id: string;
  isPaused: boolean;
  onSale: number;
  lowest: { price: number } | null;
  settings: { layout: { fields: Record<string, unknown> }; words?: string[] };
}

let app: App;

before(async () => {
  app = await startApp();
});
after(() => app?.close());

const watches = async (reader: Reader) =>
  (await reader.api.get<{ watches: Watch[] }>("/api/watches")).watches;

/** From "Add a feed" to the editor with the rows of the page. */
async function beginFromAddFeed(reader: Reader): Promise<void> {
  await reader.open("/all");
  await reader.press("a");
  await reader.dialog().locator("input[type=url]").fill(app.publisher.url("/pages/shop.html"));
  await reader.page.keyboard.press("Enter");
  await reader.dialog().getByRole("link", { name: "Watch this page" }).click();
  await reader.page.locator(".editor .parts").waitFor();
  await eventuallyEquals("the dialog", () => reader.dialog().count(), 0);
}

/** What the table says would be followed. */
const names = (reader: Reader) =>
  reader.page.locator(".editor .results tbody tr:not([data-out]) th").allTextContents();

// M-35
test("a page without a feed is watched, with keys alone, and its things are listed", async () => {
  const as = await app.user("watching");
  await app.visit({ as }, async (reader) => {
    reader.watch.expectStatus(422); // the page has no feed
    await beginFromAddFeed(reader);
    await eventuallyEquals("the rows", async () => (await names(reader)).length, 6);

    // The caption becomes the title, and back.
    const part = (text: string) =>
      reader.page.locator(".part").filter({ has: reader.page.getByText(text, { exact: true }) });
    await part("Number 1 on the shelf").focus();
    await reader.press("Enter");
    await reader.page.locator(".parts [role=menu]").waitFor();
    await reader.press("Enter");
    await eventually(
      "the new titles",
      () => names(reader),
      ([first]) => first === "Number 1 on the shelf",
    );
    assert.notEqual(await reader.focus(), "body");
    await part("Box camera").focus();
    await reader.press("Enter");
    await reader.press("Enter");
    await eventually(
      "the old titles",
      () => names(reader),
      ([first]) => first === "Box camera",
    );

    // Filters count as they are typed.
    await reader.page.getByLabel("Without the words").fill("toy, stereo");
    await reader.page.locator(".filter-form [role=status]", { hasText: "4 of 6 rows" }).waitFor();
    await reader.page.getByLabel("Name", { exact: true }).fill("Cameras");

    // Nothing is saved before the person has confirmed.
    const save = reader.page.getByRole("button", { name: "Watch this page" });
    await save.click();
    await reader.page.getByText("Read the terms of the site").waitFor();
    assert.deepEqual(await watches(reader), []);
    await reader.press("Space");
    await save.focus();
    await reader.press("Enter");
    await reader.toast("Watching Cameras").waitFor();
    await eventually(
      "the first check",
      () => watches(reader),
      ([one]) => one?.onSale === 4,
    );

    const [watch] = await watches(reader);
    assert.ok(watch);
    assert.equal(reader.path(), `/watches/${watch.id}`);
    const row = reader.page.locator(".results tbody tr").first();
    await row.getByText("Lowest", { exact: true }).waitFor();
    await row.getByText("¥12,800").waitFor();

    // A row opens its prices. The first look is a baseline: it is announced by no article.
    await row.getByRole("button").press("Enter");
    const detail = reader.page.locator(".result-detail");
    await detail.getByText("¥12,800").waitFor();
    await detail.getByText("No change was announced.").waitFor();

    // The trend speaks of its days.
    await reader.page.getByRole("link", { name: "Trend" }).click();
    const day = reader.page.getByRole("slider", { name: "Day" });
    await day.focus();
    await reader.press("Home");
    assert.match((await day.getAttribute("aria-valuetext")) ?? "", /lowest ¥12,800, .*4 on sale/);
  });
});

test("watches are paused and deleted, and both can be undone", async () => {
  const as = await app.user("deleting");
  await app.visit({ as }, async (reader) => {
    reader.watch.expectStatus(422);
    await beginFromAddFeed(reader);
    await reader.page.getByLabel("I've read the terms, and they allow this").check();
    await reader.page.getByRole("button", { name: "Watch this page" }).click();
    const toast = reader.toast(/^Watching/);
    await toast.waitFor();
    const last = reader.page.locator(".results tbody tr").last();
    await last.waitFor();
    for (const width of [1024, 390, 1440]) {
      await reader.page.setViewportSize({ width, height: 500 });
      assert.ok(await reader.isClear(last, toast), `the last price at a width of ${width}`);
    }
    // The side bar leads there.
    await reader.open("/all");
    await reader.side("Watches").click();
    const card = reader.page.locator(".watch-row");
    await card.getByRole("button", { name: /^Pause/ }).click();
    await eventually(
      "the pause",
      () => watches(reader),
      ([one]) => one?.isPaused === true,
    );
    await card.getByText(/^Paused/).waitFor();
    await reader.page.keyboard.press("z");
    await eventually(
      "its end",
      () => watches(reader),
      ([one]) => one?.isPaused === false,
    );
    await card.getByRole("button", { name: /^Delete/ }).click();
    await reader.page.locator(".beginning").waitFor();
    await eventually(
      "the deletion",
      () => watches(reader),
      (all) => all.length === 0,
    );
    await reader.page.keyboard.press("z");
    await eventually(
      "the watch",
      () => watches(reader),
      (all) => all.length === 1,
    );
    await card.waitFor();
  });
});
