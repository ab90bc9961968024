// The whole frame by keys, as people who have no pointer take it: the order of Tab, F6 between the panes, every menu and
// dialog and the way out of it, and what a screen reader is told. The trees lie beside this file; after a change that
// is meant, RURI_GOLDEN=write keeps the new ones.
// C-28
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Locator } from "playwright-core";
import { type App, startApp } from "./harness/app.ts";
import { eventuallyEquals } from "./harness/eventually.ts";
import type { Reader } from "./harness/reader.ts";

let app: App;

before(async () => {
  app = await startApp();
});
after(() => app?.close());

/** Two feeds, one in a folder, a label, and the newest item of the first feed open. */
async function furnish(reader: Reader): Promise<{ feed: string }> {
  const { api } = reader;
  const plain = await api.addFeed(app.publisher.url("/feeds/plain.xml"));
  const folder = await api.send<{ id: string }>("POST", "/api/folders", { name: "Reading" });
  await api.send("PUT", `/api/subscriptions/${plain.id}/settings`, { folders: [folder.id] });
  await api.addFeed(app.publisher.url("/feeds/podcast.xml"));
  await api.send("POST", "/api/labels", { name: "Later" });
  const item = await api.item("Plain Notes", "A walk at noon");
  await reader.open(`/feed/${plain.id}/i/${item.id}`);
  await reader.articleShows("A walk at noon");
  await reader.settled();
  return { feed: plain.id };
}

/** In which pane the focus is. */
const pane = (reader: Reader) =>
  reader.page.evaluate(() => {
    const names = { ".side": "side", ".list-pane": "list", ".article-pane": "article" };
    const found = Object.entries(names).find(([one]) => document.activeElement?.closest(one));
    return found?.[1] ?? (document.activeElement === document.body ? "body" : "between");
  });

/** What has the focus, by the name that is read out. */
const focused = (reader: Reader) =>
  reader.page.evaluate(() => {
    const element = document.activeElement;
    return element?.getAttribute("aria-label") ?? element?.textContent?.trim() ?? "";
  });

test("Tab goes from pane to pane and comes to each once; F6 goes there at once", async () => {
  const as = await app.user("panes");
  await app.visit({ as }, async (reader) => {
    await furnish(reader);
    await reader.side("Today").focus();
    const order: string[] = [];
    for (let i = 0; i < 80 && order.at(-1) !== "body"; i += 1) {
      const now = await pane(reader);
      if (order.at(-1) !== now) order.push(now);
      await reader.page.keyboard.press("Tab");
    }
    assert.deepEqual(
      order.filter((one) => one !== "between" && one !== "body"),
      ["side", "list", "article"],
    );

    await reader.side("Reading").focus();
    const around: string[] = [];
    for (const key of ["F6", "F6", "F6", "Shift+F6", "Shift+F6", "Shift+F6"]) {
      await reader.press(key);
      around.push(await pane(reader));
    }
    assert.deepEqual(around, ["list", "article", "side", "article", "list", "side"]);
    assert.match(await focused(reader), /^Reading/);
  });
});

test("every menu and dialog opens and closes by keys, and gives the focus back", async () => {
  const as = await app.user("overlays");
  await app.visit({ as }, async (reader) => {
    const { feed } = await furnish(reader);
    const { page } = reader;
    const inside = () =>
      page.evaluate(() => !!document.activeElement?.closest("dialog[open],[role=menu],.panel"));

    /** Escape leads out, to where one was. */
    const leave = async (name: string, back: string) => {
      await eventuallyEquals(`the focus is in ${name}`, inside, true);
      await page.keyboard.press("Escape");
      await eventuallyEquals(
        `${name} is closed`,
        () => page.locator("dialog[open],.menu").count(),
        0,
      );
      await eventuallyEquals(`the focus after ${name}`, () => focused(reader), back);
    };
    const open = async (name: string) => {
      const opener = page.getByRole("button", { name, exact: true });
      await opener.focus();
      await page.keyboard.press("Enter");
      return leave(name, name);
    };

    for (const name of [
      "Sort feeds",
      "Settings",
      "List actions",
      "Text settings",
      "More actions",
      "Manage",
      "Menu for Plain Notes",
    ]) {
      await open(name);
    }

    // By their keys, from a row of the list.
    await page.locator(".list-pane .row[tabindex='0']").focus();
    const row = await focused(reader);
    for (const key of ["a", "?", "Control+k"]) {
      await page.keyboard.press(key);
      await leave(key, row);
    }

    // From entries of menus, which are gone when the dialog closes.
    for (const [menu, entry] of [
      ["Manage", "Import OPML"],
      ["Sort feeds", "New folder…"],
      ["More actions", "Custom share target…"],
      ["More actions", "Labels…"],
    ] as const) {
      await page.getByRole("button", { name: menu, exact: true }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("menuitem", { name: entry }).press("Enter");
      await page.locator("dialog[open]").waitFor();
      await leave(entry, menu);
    }
    for (const entry of ["Rename…", "Move…"]) {
      await reader.side("Plain Notes").focus();
      await page.keyboard.press("Shift+F10");
      await page.getByRole("menuitem", { name: entry }).press("Enter");
      await page.locator("dialog[open]").waitFor();
      await eventuallyEquals(`the focus is in ${entry}`, inside, true);
      await page.keyboard.press("Escape");
      await eventuallyEquals("the dialog", () => page.locator("dialog[open]").count(), 0);
      await eventuallyEquals(
        "the focus",
        () => page.evaluate(() => (document.activeElement as HTMLElement).dataset.name),
        "Plain Notes",
      );
    }

    // Escape, one level at a time: the menu, the article, the list.
    await reader.row("A walk at noon").focus();
    await reader.press("Enter");
    await eventuallyEquals("the focus", () => reader.focus(), "the item's heading");
    await page.getByRole("button", { name: "More actions", exact: true }).focus();
    await reader.press("Enter");
    await page.getByRole("menu").waitFor();
    await reader.press("Escape");
    await eventuallyEquals("the menu", () => page.getByRole("menu").count(), 0);
    await eventuallyEquals("the focus", () => focused(reader), "More actions");
    await reader.press("Escape");
    await eventuallyEquals("the address", () => reader.path(), `/feed/${feed}`);
    await eventuallyEquals("the focus", () => reader.focus(), "a row");
    await reader.press("Escape");
    await eventuallyEquals("the focus", () => reader.focus(), "a row");
    assert.equal(reader.path(), `/feed/${feed}`);
  });
});

test("what stands beside the reader leads back to where one was, and names the person's own keys", async () => {
  const as = await app.user("back");
  await app.visit({ as }, async (reader) => {
    const { feed } = await furnish(reader);
    const { page } = reader;
    const here = reader.path();
    await page.getByRole("button", { name: "List actions" }).click();
    await page.getByRole("menuitem", { name: "Mark below as read" }).getByText("⇧M").waitFor();
    await reader.press("Escape");
    for (const [keys, path] of [
      [["g", "r"], "/rules"],
      [["g", "f"], "/subscriptions"],
      [[","], "/settings"],
    ] as const) {
      await reader.pressAll(keys);
      await eventuallyEquals("the address", () => reader.path(), path);
      await page.locator(":is(.page, .settings) h1").waitFor();
      await reader.press("u");
      await eventuallyEquals("the address after u", () => reader.path(), here);
      await reader.articleShows("A walk at noon");
    }
    // Also by way of another of them, and after a reload.
    await reader.choose("Manage", "Subscriptions");
    await page.getByRole("link", { name: "Rules" }).click();
    await eventuallyEquals("the address", () => reader.path(), "/rules");
    await page.reload();
    await page.locator(".page h1").waitFor();
    await reader.press("u");
    await eventuallyEquals("the address after a reload", () => reader.path(), here);

    await reader.api.send("PUT", "/api/user/preferences", { keymap: "ldr" });
    await reader.open(`/feed/${feed}?f=starred`);
    await page.locator(".list-pane .state kbd", { hasText: "⇧S" }).waitFor();
    await reader.api.send("PUT", "/api/user/preferences", { keymap: "none" });
    await reader.open(`/feed/${feed}?f=starred`);
    await page.getByText("Press the star on an article to keep it here.").waitFor();
    await page.locator(".no-item").waitFor();
  });
});

const trees = join(import.meta.dirname, "accessibility-trees");

/** A tree as a screen reader has it, without what differs from run to run: addresses, and when something was. */
async function told(part: Locator): Promise<string> {
  const tree = await part.ariaSnapshot();
  const lines = tree
    .split("\n")
    .filter((line) => !/^\s*- \/url:/.test(line))
    .map((line) => line.replace(/(- time)(: .*| ".*")/, "$1").replace(/"Checked .*"/, "Checked …"))
    .map((line) => line.replace(/(- text: )\w+day, .*/, "$1a day"));
  const depth = (line = "") => line.search(/\S/);
  // A link that held only its address holds nothing.
  const kept = lines.map((line, at) =>
    depth(lines[at + 1]) > depth(line) ? line : line.replace(/:$/, ""),
  );
  return `${kept.join("\n")}\n`;
}

test("a screen reader is told of panes, lists, rows and controls", async () => {
  const as = await app.user("listener");
  await app.visit({ as }, async (reader) => {
    await furnish(reader);
    const { page } = reader;
    const parts: Record<string, Locator> = {
      "side-bar": page.locator("nav.side"),
      list: page.locator(".list-pane"),
      article: page.locator(".article-pane"),
    };
    const hold = async (name: string, part: Locator) => {
      const file = join(trees, `${name}.txt`);
      const now = await told(part);
      if (process.env.RURI_GOLDEN === "write") await writeFile(file, now);
      else assert.equal(now, await readFile(file, "utf8"), `${name}, held against ${file}`);
    };
    for (const [name, part] of Object.entries(parts)) await hold(name, part);
    await reader.press("a");
    await reader.dialog().waitFor();
    await hold("add-dialog", reader.dialog());
  });
});
