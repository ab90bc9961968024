// The side bar: folders in folders, counts, walking by keys, and what a person does to feeds and folders there.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { assertAccessible } from "./harness/axe.ts";
import { message } from "./harness/catalog.ts";
import { eventually, eventuallyEquals, hasFocus, tick } from "./harness/eventually.ts";
import type { Reader } from "./harness/reader.ts";
import { keepScreenshot } from "./harness/screenshot.ts";

let app: App;

before(async () => {
  app = await startApp();
});
after(() => app?.close());

/** Two folders, one in the other; Plain Notes is in both, Spoken in none. */
async function furnish(reader: Reader) {
  const make = (name: string, parentId: string | null) =>
    reader.api.send<{ id: string }>("POST", "/api/folders", { name, parentId });
  const tech = await make("技術", null);
  const web = await make("Web", tech.id);
  const news = await make("News", null);
  const plain = await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
  const japanese = await reader.api.addFeed(app.publisher.url("/feeds/nihongo.atom"));
  const set = (id: string, folders: string[]) =>
    reader.api.send("PUT", `/api/subscriptions/${id}/settings`, { folders });
  await set(plain.id, [tech.id, web.id]);
  return { tech: tech.id, web: web.id, news: news.id, plain, japanese };
}

/** The rows of the tree from top to bottom, deeper ones further in. */
function sketch(reader: Reader): Promise<string[]> {
  return reader.page.locator(".side section .side-row").evaluateAll((rows) =>
    rows.map((row) => {
      const depth = Number((row as HTMLElement).style.getPropertyValue("--depth") || 0);
      const link = row.querySelector<HTMLElement>("[data-stop]");
      return `${"  ".repeat(depth)}${link?.dataset.name} ${row.querySelector(".count")?.firstChild?.textContent ?? ""}`.trimEnd();
    }),
  );
}

async function look(reader: Reader, name: string): Promise<void> {
  await keepScreenshot(reader.page, `screens/${name}.png`);
}

const focused = (reader: Reader) =>
  reader.page.evaluate(() => (document.activeElement as HTMLElement)?.dataset.name ?? "");

test("feeds stand in each of their folders and count once; folders and labels are streams", async () => {
  const as = await app.user("tree");
  await app.visit({ as }, async (reader) => {
    const ids = await furnish(reader);
    await reader.api.send("POST", "/api/labels", { name: "あとで" });
    await reader.open("/all");
    const tree = [
      "技術 5",
      "  Web 5",
      "    Plain Notes 5",
      "  Plain Notes 5",
      "News",
      "No folder",
      `雨の日の覚え書き ${ids.japanese.unreadCount}`,
      "Labels",
      "あとで",
    ];
    await eventuallyEquals("the tree", () => sketch(reader), tree);
    await reader.side("技術").click();
    await eventuallyEquals("the address", () => reader.path(), `/folder/${ids.tech}`);
    await eventuallyEquals("the rows", async () => (await reader.titles()).length, 5);
    await assertAccessible(reader.page, "the side bar");
    await look(reader, "tree");
    await reader.page.getByRole("button", { name: "Collapse 技術" }).click();
    const closed = [tree[0], ...tree.slice(4)];
    await eventuallyEquals("the tree", () => sketch(reader), closed);
    await reader.page.reload();
    await eventuallyEquals("the tree after a reload", () => sketch(reader), closed);
    await reader.choose("Sort feeds", "By name");
    await eventuallyEquals("by name", async () => (await sketch(reader))[0], "News");
    await reader.page.getByRole("menuitemcheckbox", { name: "Hide read feeds" }).click();
    await reader.page.keyboard.press("Escape");
    await reader.side("あとで").click();
    await reader.page.locator(".list-pane .state").waitFor();
    await eventually(
      "the address",
      () => reader.path(),
      (path) => path.startsWith("/label/"),
    );
  });
});

test("arrows, Home, End and first letters walk the side bar, left and right close and open", async () => {
  const as = await app.user("treekeys");
  await app.visit({ as }, async (reader) => {
    await furnish(reader);
    await reader.open("/all");
    await reader.side("News").waitFor();
    await reader.side("Today").focus();
    for (const [key, name] of [
      ["End", "雨の日の覚え書き"],
      ["Home", "Today"],
      ["ArrowDown", "Unread"],
      ["w", "Watches"],
      ["w", "Web"],
      ["ArrowRight", "Plain Notes"],
      ["ArrowLeft", "Web"],
      ["ArrowLeft", "Web"],
      ["ArrowDown", "Plain Notes"],
      ["ArrowLeft", "技術"],
      ["n", "News"],
    ] as const) {
      await reader.press(key);
      await eventuallyEquals(`the focus after ${key}`, () => focused(reader), name);
    }
    await reader.press("Enter");
    await eventually(
      "the address",
      () => reader.path(),
      (path) => path.startsWith("/folder/"),
    );
    await eventuallyEquals("the focus", () => reader.focus(), "the list's heading");
    await reader.press("Shift+J");
    await eventually(
      "the next feed with unread items",
      () => reader.path(),
      (path) => path.startsWith("/feed/"),
    );
  });
});

/** Opens the menu of a row by the keyboard and takes an entry of it. */
async function take(reader: Reader, row: string, entry: string): Promise<void> {
  await reader.side(row).first().focus();
  await reader.page.keyboard.press("Shift+F10");
  await reader.page.getByRole("menu").getByRole("menuitem", { name: entry }).press("Enter");
}

test("folders are made, renamed, moved and deleted by keys, and z undoes each", async () => {
  const as = await app.user("folders-by-keys");
  await app.visit({ as }, async (reader) => {
    const { tech } = await furnish(reader);
    await reader.open("/all");
    await reader.side("News").waitFor();
    const before = await sketch(reader);

    await take(reader, "News", "Rename");
    reader.watch.expectStatus(409);
    await reader.dialog().locator("input").fill("技術");
    await reader.page.keyboard.press("Enter");
    await reader.dialog().getByText("There is already a folder with this name here.").waitFor();
    await reader.dialog().locator("input").fill("ニュース");
    await reader.page.keyboard.press("Enter");
    await reader.side("ニュース").waitFor();
    // The name is there at once, the dialog stays until the server has taken it.
    await eventuallyEquals("the dialog", () => reader.dialog().count(), 0);
    await hasFocus(reader);
    await reader.press("z");
    await eventuallyEquals("the name after z", () => sketch(reader), before);

    await take(reader, "雨の日の覚え書き", "Move…");
    await assertAccessible(reader.page, "the dialog for moving");
    await look(reader, "move");
    await tick(reader.dialog().getByLabel("技術 / Web"));
    await reader.page.keyboard.press("Enter");
    await reader.toast("雨の日の覚え書き moved").waitFor();
    await eventuallyEquals("the tree", async () => (await sketch(reader)).slice(1, 4), [
      "  Web 9",
      "    Plain Notes 5",
      "    雨の日の覚え書き 4",
    ]);
    await hasFocus(reader);

    await take(reader, "技術", "Delete folder");
    await eventuallyEquals("the tree without the folder", () => sketch(reader), [
      "Web 9",
      "  Plain Notes 5",
      "  雨の日の覚え書き 4",
      "News",
    ]);
    await hasFocus(reader);
    await reader.press("z");
    await eventuallyEquals(
      "the tree with it again",
      async () => (await sketch(reader)).slice(0, 5),
      ["技術 9", "  Web 9", "    Plain Notes 5", "    雨の日の覚え書き 4", "  Plain Notes 5"],
    );
    await hasFocus(reader); // its row stands in another list now
    // The feeds are shown in it a moment before the server has put them there.
    await reader.quiet();
    assert.notEqual(
      (await reader.api.get<{ folders: { id: string }[] }>("/api/folders")).folders[0]?.id,
      tech,
    );

    await take(reader, "News", "Move up");
    await eventuallyEquals("the order", async () => (await sketch(reader))[0], "News");

    await take(reader, "技術", "Mark as read");
    await eventuallyEquals("the counts", () => reader.sideCount("技術"), 0);
    await reader.press("z");
    await eventuallyEquals("the counts after z", () => reader.sideCount("技術"), 9);

    await reader.side("雨の日の覚え書き").first().hover();
    await reader.page.getByRole("button", { name: "Menu for 雨の日の覚え書き" }).first().click();
    await assertAccessible(reader.page, "the menu of a row");
    await look(reader, "menu");
    await reader.page.getByRole("menuitem", { name: "Mute" }).click();
    await eventuallyEquals("the counts of a muted feed", () => reader.sideCount("技術"), 5);
    await take(reader, "Plain Notes", "Unsubscribe");
    await eventuallyEquals("the feeds", () => reader.side("Plain Notes").count(), 0);
    await reader.press("z");
    await eventuallyEquals("the feeds after z", () => reader.side("Plain Notes").count(), 2);
  });
});

test("feeds and folders are dragged to their place", async () => {
  const as = await app.user("drag");
  await app.visit({ as }, async (reader) => {
    await furnish(reader);
    await reader.open("/all");
    await reader.side("News").waitFor();
    const before = await sketch(reader);
    await reader.side("雨の日の覚え書き").dragTo(reader.side("News"));
    await eventuallyEquals(
      "the feed is in the folder",
      async () => (await sketch(reader)).slice(4),
      ["News 4", "  雨の日の覚え書き 4"],
    );
    await reader.press("z");
    await eventuallyEquals("the tree after z", () => sketch(reader), before);
    // Answers draw the rows anew: none must come while one is dragged.
    await reader.quiet();
    await reader.side("News").dragTo(reader.side("技術"), { targetPosition: { x: 60, y: 3 } });
    await eventuallyEquals(
      "the order of the folders",
      async () => (await sketch(reader)).slice(0, 2),
      ["News", "技術 5"],
    );
    // Shown at once, saved a moment later.
    await eventually(
      "the order of the server",
      () => reader.api.get<{ folders: { name: string; position: number }[] }>("/api/folders"),
      ({ folders }) => folders.find((one) => one.name === "News")?.position === 0,
    );
    await reader.quiet();
    await reader.side("技術").dragTo(reader.side("Web"));
    await reader.quiet();
    assert.equal((await sketch(reader))[1], "技術 5");
  });
});

test("labels are dragged to their place, and moved by their menus", async () => {
  const as = await app.user("sidebar-labels");
  await app.visit({ as }, async (reader) => {
    await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    for (const name of ["One", "Two", "Three"]) {
      await reader.api.send("POST", "/api/labels", { name });
    }
    await reader.open("/all");
    await reader.side("Three").waitFor();
    const labels = async () => (await sketch(reader)).slice(-3);
    await reader.side("Three").dragTo(reader.side("One"), { targetPosition: { x: 60, y: 3 } });
    await eventuallyEquals("the labels", labels, ["Three", "One", "Two"]);
    await reader.press("z");
    await eventuallyEquals("the labels after z", labels, ["One", "Two", "Three"]);
    // Two orders that are on their way together may arrive in either.
    await reader.quiet();
    await take(reader, "One", "Move down");
    await eventuallyEquals("the labels after the menu", labels, ["Two", "One", "Three"]);
    await hasFocus(reader);
    await eventually(
      "the labels of the server",
      () => reader.api.get<{ labels: { name: string }[] }>("/api/labels"),
      ({ labels: kept }) => kept.map(({ name }) => name).join() === "Two,One,Three",
    );
  });
});

test("on a phone a long press opens the menu", async () => {
  const as = await app.user("press");
  await app.visit({ as, width: 390, height: 844 }, async (reader) => {
    await furnish(reader);
    await reader.open("/all");
    await reader.page.getByRole("button", { name: "Feeds" }).tap();
    const link = reader.side("News");
    await link.dispatchEvent("pointerdown", { pointerType: "touch", clientX: 80, clientY: 300 });
    await reader.page.getByRole("menu").waitFor();
    await look(reader, "phone");
    await assertAccessible(reader.page, "the side bar on a phone");
  });
});

test("panes are as wide as one pulls them, hide, and are walked by F6", async () => {
  const as = await app.user("sidebar-panes");
  await app.visit({ as }, async (reader) => {
    await furnish(reader);
    await reader.open("/all?v=read");
    const width = (pane: string) =>
      reader.page.locator(pane).evaluate((box) => Math.round(box.getBoundingClientRect().width));
    const splitter = reader.page.getByRole("separator", { name: "Sidebar width" });
    await splitter.focus();
    await reader.press("ArrowRight");
    await eventuallyEquals("the width", () => width(".side"), 264);
    const box = await reader.page.getByRole("separator", { name: "List width" }).boundingBox();
    assert.ok(box);
    await reader.page.mouse.move(box.x + 4, 400);
    await reader.page.mouse.down();
    await reader.page.mouse.move(box.x + 64, 400, { steps: 3 });
    await reader.page.mouse.up();
    const list = await eventually(
      "the width that was pulled",
      () => width(".list-pane"),
      (seen) => seen > 470 && seen < 490,
    );
    await reader.page.reload();
    await eventuallyEquals("the width after a reload", () => width(".list-pane"), list);
    await splitter.dblclick();
    await eventuallyEquals("the usual width", () => width(".side"), 248);

    await reader.side("News").focus();
    await reader.press("[");
    await reader.page.locator(".rail").waitFor();
    await hasFocus(reader);
    await look(reader, "rail");
    await reader.press("[");
    await reader.side("News").waitFor();
    await reader.openRow("On small things");
    await reader.press("]");
    await eventuallyEquals("the list", () => reader.page.locator(".list-pane").isVisible(), false);
    // A frame later: before that, it would come after the next key.
    await eventuallyEquals("the focus", () => reader.focus(), "the item's heading");
    await reader.press("F6");
    await eventually(
      "the focus",
      () => reader.focus(),
      (seen) => /side-link/.test(seen),
    );
    await reader.press("]");
    await eventuallyEquals("the list", () => reader.page.locator(".list-pane").isVisible(), true);
    await reader.press("F6");
    await eventuallyEquals("the focus", () => reader.focus(), "a row");
    await reader.press("F6");
    await eventuallyEquals("the focus", () => reader.focus(), "the item's heading");
    await reader.press("Shift+F6");
    await eventuallyEquals("the focus", () => reader.focus(), "a row");
  });
});

test("Ctrl K goes to a feed or runs a command by a few letters (ja)", async () => {
  const as = await app.user("palette");
  await app.visit({ as, locale: "ja", scheme: "dark" }, async (reader) => {
    await furnish(reader);
    await reader.open("/all");
    await reader.page.keyboard.press("Control+K");
    const field = reader.dialog().getByRole("combobox");
    await field.waitFor();
    await look(reader, "palette");
    await assertAccessible(reader.page, "the palette");
    await field.fill("plain");
    // The feeds may come after the dialog.
    await reader.dialog().getByRole("option").first().waitFor();
    await reader.page.keyboard.press("Enter");
    await eventually(
      "the feed",
      () => reader.path(),
      (path) => path.startsWith("/feed/"),
    );
    await hasFocus(reader);
    await reader.page.keyboard.press("Control+K");
    await field.fill(message("ja", "Add a feed"));
    await reader.page.keyboard.press("Enter");
    await reader.dialog().locator("input[type=url]").waitFor();
  });
});

test("between a phone and a wide screen a rail opens the side bar as a drawer", async () => {
  const as = await app.user("rail");
  await app.visit({ as, width: 1000 }, async (reader) => {
    await furnish(reader);
    await reader.open("/all");
    await reader.page.locator(".rail").getByRole("button", { name: "Show feeds" }).click();
    await eventuallyEquals("the focus is in the drawer", () => focused(reader), "Unread");
    await look(reader, "drawer");
    await reader.press("Escape");
    await eventuallyEquals(
      "the focus is back",
      async () => (await reader.focus()).slice(0, 6),
      "button",
    );
    await look(reader, "rail-1000");
    await assertAccessible(reader.page, "the rail");
  });
});
