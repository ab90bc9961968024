// What is typed before the code of what was opened is there: it belongs to what was opened, and nothing of it is a
// shortcut.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { eventuallyEquals } from "./harness/eventually.ts";
import type { Reader } from "./harness/reader.ts";

let app: App;

before(async () => {
  app = await startApp();
});
after(() => app?.close());

/** Files of the page whose names begin so wait until what is returned is called. */
async function hold(reader: Reader, name: string): Promise<() => void> {
  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  await reader.page.route(`**/assets/${name}-*.js`, async (route) => {
    await held;
    await route.continue();
  });
  return go;
}

/** What shortcuts would have done. */
async function state(reader: Reader) {
  const items = await reader.api.items();
  return {
    path: reader.path(),
    theme: await reader.page.evaluate(() => document.documentElement.dataset.theme),
    marked: items.filter((item) => item.isRead || item.isStarred).length,
  };
}

test("letters typed for the palette and the address of a feed wait for their field", async () => {
  const as = await app.user("ahead");
  await app.visit({ as }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await reader.open(`/feed/${id}`);
    await reader.settled();
    const before = await state(reader);
    const [palette, add] = [
      await hold(reader, "palette-dialog"),
      await hold(reader, "add-feed-dialog"),
    ];

    await reader.page.keyboard.press("Control+k");
    await reader.page.keyboard.type("statx");
    await reader.page.keyboard.press("Backspace");
    await reader.page.keyboard.type("ist");
    assert.equal(await reader.dialog().count(), 0, "it is still on its way");
    palette();
    const field = reader.dialog().getByRole("combobox");
    await eventuallyEquals("what was typed", () => field.inputValue(), "statist");
    await eventuallyEquals("the focus", () => reader.focus(), "input.palette-field");
    await reader.page.keyboard.type("ics");
    assert.equal(await field.inputValue(), "statistics");
    await reader.page.keyboard.press("Escape");
    await eventuallyEquals("the dialog", () => reader.dialog().count(), 0);
    assert.deepEqual(await state(reader), before);

    // Thought better of it: nothing opens, and keys are shortcuts again.
    await reader.page.keyboard.press("a");
    await reader.page.keyboard.type("ht");
    await reader.page.keyboard.press("Escape");
    add();
    await reader.quiet();
    assert.equal(await reader.dialog().count(), 0);
    await reader.press("n");
    assert.deepEqual(await state(reader), before);
  });

  await app.visit({ as }, async (reader) => {
    await reader.open("/all");
    await reader.settled();
    const before = await state(reader);
    const add = await hold(reader, "add-feed-dialog");
    // To the end, with what the dialog does then: it looks the address over.
    await reader.page.keyboard.press("a");
    await reader.page.keyboard.type(app.publisher.url("/feeds/podcast.xml"));
    await reader.page.keyboard.press("Enter");
    add();
    await reader.dialog().locator("label", { hasText: "Spoken Words" }).waitFor();
    assert.deepEqual(await state(reader), before);
  });
});

test("what is typed while the page itself loads is not lost", async () => {
  const as = await app.user("early");
  await app.visit({ as }, async (reader) => {
    await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    const [program, add] = [await hold(reader, "index"), await hold(reader, "add-feed-dialog")];
    await reader.page.goto(`${app.backend.base}/all`, { waitUntil: "commit" });
    await reader.page.locator("#root").waitFor({ state: "attached" });
    await reader.page.keyboard.press("a");
    await reader.page.keyboard.type("http");
    program();
    await reader.row("A walk at noon").waitFor();
    await reader.page.keyboard.type("://stars.example/");
    add();
    const field = reader.dialog().locator("input[type=url]");
    await eventuallyEquals("the address", () => field.inputValue(), "http://stars.example/");
    const { theme, marked } = await state(reader);
    assert.deepEqual([theme, marked], ["light", 0]);
  });
});

test("letters wait for the other dialogs with a field, too, and for a screen its shortcuts", async () => {
  const as = await app.user("others");
  await app.visit({ as }, async (reader) => {
    const { id } = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await reader.open(`/feed/${id}`);
    await reader.settled();
    await reader.openRow("A walk at noon");
    await eventuallyEquals("the mark", async () => (await state(reader)).marked, 1);
    const before = await state(reader);
    for (const [file, entry] of [
      ["labels-dialog", "Labels…"],
      ["own-place-dialog", "Custom share target…"],
    ] as const) {
      const come = await hold(reader, file);
      await reader.choose("More actions", entry);
      await reader.page.keyboard.type("stat");
      come();
      const field = reader.dialog().locator("input[data-first]");
      await eventuallyEquals(`what was typed for ${entry}`, () => field.inputValue(), "stat");
      await reader.page.keyboard.press("Escape");
      await eventuallyEquals("the dialog", () => reader.dialog().count(), 0);
    }
    assert.deepEqual(await state(reader), before);

    const come = await hold(reader, "rules-screen");
    await reader.page.keyboard.type("grgs");
    await eventuallyEquals("the address", () => reader.path(), "/rules");
    come();
    await eventuallyEquals("the address after it", () => reader.path(), "/starred");
  });
});
