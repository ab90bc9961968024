// The side bar: folders in folders, counts, walking by keys, and what a person does to feeds and folders there.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assertAccessible } from "./harness/axe.ts";
import { eventually, hasFocus, settles, tick } from "./harness/eventually.ts";
import { artifacts } from "./harness/places.ts";
import type { Reader } from "./harness/reader.ts";
import { say } from "./harness/words.ts";
import { openWorld, type World } from "./harness/world.ts";

let world: World;

before(async () => {
  world = await openWorld();
});
after(() => world?.close());

/** Two folders, one in the other; Plain Notes is in both, Spoken in none. */
async function furnish(reader: Reader) {
  const make = (name: string, parentId: string | null) =>
    reader.api.send<{ id: string }>("POST", "/api/folders", { name, parentId });
  const tech = await make("技術", null);
  const web = await make("Web", tech.id);
  const news = await make("News", null);
  const plain = await reader.api.addFeed(world.publisher.url("/feeds/plain.xml"));
  const japanese = await reader.api.addFeed(world.publisher.url("/feeds/nihongo.atom"));
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
  await mkdir(join(artifacts, "sidebar"), { recursive: true });
  await reader.page.screenshot({ path: join(artifacts, "sidebar", `${name}.png`) });
}

const focused = (reader: Reader) =>
  reader.page.evaluate(() => (document.activeElement as HTMLElement)?.dataset.name ?? "");

test("feeds stand in each of their folders and count once; folders and labels are streams", async () => {
  const as = await world.user("tree@example.org");
  await world.visit({ as }, async (reader) => {
    const ids = await furnish(reader);
    await reader.api.send("POST", "/api/labels", { name: "あとで" });
    await reader.open("/all");
    const tree = [
      "技術 5",
      "  Web 5",
      "    Plain Notes 5",
      "  Plain Notes 5",
      "News",
      "Without a folder",
      `雨の日の覚え書き ${ids.japanese.unreadCount}`,
      "Labels",
      "あとで",
    ];
    await settles("the tree", () => sketch(reader), tree);
    await reader.side("技術").click();
    await settles("the address", () => reader.path(), `/folder/${ids.tech}`);
    await settles("the rows", async () => (await reader.titles()).length, 5);
    await assertAccessible(reader.page, "the side bar");
    await look(reader, "tree");
    await reader.page.getByRole("button", { name: "Close 技術" }).click();
    const closed = [tree[0], ...tree.slice(4)];
    await settles("the tree", () => sketch(reader), closed);
    await reader.page.reload();
    await settles("the tree after a reload", () => sketch(reader), closed);
    await reader.choose("Arrange the feeds", "By name");
    await settles("by name", async () => (await sketch(reader))[0], "News");
    await reader.page.getByRole("menuitemcheckbox", { name: "Hide what is read" }).click();
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
  const as = await world.user("treekeys@example.org");
  await world.visit({ as }, async (reader) => {
    await furnish(reader);
    await reader.open("/all");
    await reader.side("News").waitFor();
    await reader.side("All").focus();
    for (const [key, name] of [
      ["End", "雨の日の覚え書き"],
      ["Home", "All"],
      ["ArrowDown", "Unread"],
      ["w", "Web"],
      ["ArrowRight", "Plain Notes"],
      ["ArrowLeft", "Web"],
      ["ArrowLeft", "Web"],
      ["ArrowDown", "Plain Notes"],
      ["ArrowLeft", "技術"],
      ["n", "News"],
    ] as const) {
      await reader.press(key);
      await settles(`the focus after ${key}`, () => focused(reader), name);
    }
    await reader.press("Enter");
    await eventually(
      "the address",
      () => reader.path(),
      (path) => path.startsWith("/folder/"),
    );
    await settles("the focus", () => reader.focus(), "the list's heading");
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

test("folders are made, renamed, moved and deleted by keys, and each deed is taken back by z", async () => {
  const as = await world.user("deeds@example.org");
  await world.visit({ as }, async (reader) => {
    const { tech } = await furnish(reader);
    await reader.open("/all");
    await reader.side("News").waitFor();
    const before = await sketch(reader);

    await take(reader, "News", "Rename");
    reader.watch.expectStatus(409);
    await reader.dialog().locator("input").fill("技術");
    await reader.page.keyboard.press("Enter");
    await reader.dialog().getByText("There is already a folder of this name here.").waitFor();
    await reader.dialog().locator("input").fill("ニュース");
    await reader.page.keyboard.press("Enter");
    await reader.side("ニュース").waitFor();
    // The name is there at once, the dialog stays until the server has taken it.
    await settles("the dialog", () => reader.dialog().count(), 0);
    await hasFocus(reader);
    await reader.press("z");
    await settles("the name after z", () => sketch(reader), before);

    await take(reader, "雨の日の覚え書き", "Move…");
    await assertAccessible(reader.page, "the dialog for moving");
    await look(reader, "move");
    await tick(reader.dialog().getByLabel("技術 / Web"));
    await reader.page.keyboard.press("Enter");
    await reader.toast("雨の日の覚え書き was moved.").waitFor();
    await settles("the tree", async () => (await sketch(reader)).slice(1, 4), [
      "  Web 9",
      "    Plain Notes 5",
      "    雨の日の覚え書き 4",
    ]);
    await hasFocus(reader);

    await take(reader, "技術", "Delete the folder");
    await settles("the tree without the folder", () => sketch(reader), [
      "News",
      "Without a folder",
      "Plain Notes 5",
      "雨の日の覚え書き 4",
    ]);
    await hasFocus(reader);
    await reader.press("z");
    await settles("the tree with it again", async () => (await sketch(reader)).slice(0, 5), [
      "技術 9",
      "  Web 9",
      "    Plain Notes 5",
      "    雨の日の覚え書き 4",
      "  Plain Notes 5",
    ]);
    // The feeds are shown in it a moment before the server has put them there.
    await reader.quiet();
    assert.notEqual(
      (await reader.api.get<{ folders: { id: string }[] }>("/api/folders")).folders[0]?.id,
      tech,
    );

    await take(reader, "News", "Move up");
    await settles("the order", async () => (await sketch(reader))[0], "News");

    await take(reader, "技術", "Mark as read");
    await settles("the counts", () => reader.sideCount("技術"), 0);
    await reader.press("z");
    await settles("the counts after z", () => reader.sideCount("技術"), 9);

    await reader.side("雨の日の覚え書き").first().hover();
    await reader.page.getByRole("button", { name: "Menu of 雨の日の覚え書き" }).first().click();
    await assertAccessible(reader.page, "the menu of a row");
    await look(reader, "menu");
    await reader.page.getByRole("menuitem", { name: "Mute" }).click();
    await settles("the counts of a muted feed", () => reader.sideCount("技術"), 5);
    await take(reader, "Plain Notes", "Unsubscribe");
    await settles("the feeds", () => reader.side("Plain Notes").count(), 0);
    await reader.press("z");
    await settles("the feeds after z", () => reader.side("Plain Notes").count(), 2);
  });
});

test("a refusal shows again what was, and says why (ja)", async () => {
  const as = await world.user("refusal@example.org");
  await world.visit({ as, locale: "ja" }, async (reader) => {
    const { web } = await furnish(reader);
    await reader.open("/all");
    await reader.side("News").waitFor();
    const before = await sketch(reader);
    await reader.page.route("**/api/folders/*", (route) =>
      route.fulfill({ status: 503, json: { code: "busy", message: "", category: "system" } }),
    );
    reader.watch.expectStatus(503);
    await take(reader, "Web", "フォルダーを削除");
    await reader.page.locator(".toast").waitFor();
    await settles("the tree", () => sketch(reader), before);
    await eventually(
      "the reason",
      () => reader.page.locator(".toast").textContent(),
      (text) => text !== null && !text.includes("削除しました"),
    );
    await look(reader, "ja");
    assert.equal((await reader.api.feeds()).feeds.length, 2);
    assert.ok(web);
  });
});

test("feeds and folders are dragged to their place", async () => {
  const as = await world.user("drag@example.org");
  await world.visit({ as }, async (reader) => {
    await furnish(reader);
    await reader.open("/all");
    await reader.side("News").waitFor();
    const before = await sketch(reader);
    await reader.side("雨の日の覚え書き").dragTo(reader.side("News"));
    await settles("the feed is in the folder", async () => (await sketch(reader)).slice(4), [
      "News 4",
      "  雨の日の覚え書き 4",
    ]);
    await reader.press("z");
    await settles("the tree after z", () => sketch(reader), before);
    // Answers draw the rows anew: none must come while one is dragged.
    await reader.quiet();
    await reader.side("News").dragTo(reader.side("技術"), { targetPosition: { x: 60, y: 3 } });
    await settles("the order of the folders", async () => (await sketch(reader)).slice(0, 2), [
      "News",
      "技術 5",
    ]);
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
  const as = await world.user("labels@example.org");
  await world.visit({ as }, async (reader) => {
    await reader.api.addFeed(world.publisher.url("/feeds/plain.xml"));
    for (const name of ["One", "Two", "Three"]) {
      await reader.api.send("POST", "/api/labels", { name });
    }
    await reader.open("/all");
    await reader.side("Three").waitFor();
    const labels = async () => (await sketch(reader)).slice(-3);
    await reader.side("Three").dragTo(reader.side("One"), { targetPosition: { x: 60, y: 3 } });
    await settles("the labels", labels, ["Three", "One", "Two"]);
    await reader.press("z");
    await settles("the labels after z", labels, ["One", "Two", "Three"]);
    // Two orders that are on their way together may arrive in either.
    await reader.quiet();
    await take(reader, "One", "Move down");
    await settles("the labels after the menu", labels, ["Two", "One", "Three"]);
    await hasFocus(reader);
    await eventually(
      "the labels of the server",
      () => reader.api.get<{ labels: { name: string }[] }>("/api/labels"),
      ({ labels: kept }) => kept.map(({ name }) => name).join() === "Two,One,Three",
    );
  });
});

test("on a phone a long press opens the menu", async () => {
  const as = await world.user("press@example.org");
  await world.visit({ as, width: 390, height: 844 }, async (reader) => {
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
  const as = await world.user("panes@example.org");
  await world.visit({ as }, async (reader) => {
    await furnish(reader);
    await reader.open("/all");
    const width = (pane: string) =>
      reader.page.locator(pane).evaluate((box) => Math.round(box.getBoundingClientRect().width));
    const splitter = reader.page.getByRole("separator", { name: "Width of the side bar" });
    await splitter.focus();
    await reader.press("ArrowRight");
    await settles("the width", () => width(".side"), 264);
    const box = await reader.page
      .getByRole("separator", { name: "Width of the list" })
      .boundingBox();
    assert.ok(box);
    await reader.page.mouse.move(box.x + 4, 400);
    await reader.page.mouse.down();
    await reader.page.mouse.move(box.x + 64, 400, { steps: 3 });
    await reader.page.mouse.up();
    const list = await eventually(
      "the width that was pulled",
      () => width(".list-pane"),
      (seen) => seen > 420 && seen < 460,
    );
    await reader.page.reload();
    await settles("the width after a reload", () => width(".list-pane"), list);
    await splitter.dblclick();
    await settles("the usual width", () => width(".side"), 248);

    await reader.side("News").focus();
    await reader.press("[");
    await reader.page.locator(".rail").waitFor();
    await hasFocus(reader);
    await look(reader, "rail");
    await reader.press("[");
    await reader.side("News").waitFor();
    await reader.openRow("On small things");
    await reader.press("]");
    await settles("the list", () => reader.page.locator(".list-pane").isVisible(), false);
    // A frame later: before that, it would come after the next key.
    await settles("the focus", () => reader.focus(), "the item's heading");
    await reader.press("F6");
    await eventually(
      "the focus",
      () => reader.focus(),
      (seen) => /side-link/.test(seen),
    );
    await reader.press("]");
    await settles("the list", () => reader.page.locator(".list-pane").isVisible(), true);
    await reader.press("F6");
    await settles("the focus", () => reader.focus(), "a row");
    await reader.press("F6");
    await settles("the focus", () => reader.focus(), "the item's heading");
    await reader.press("Shift+F6");
    await settles("the focus", () => reader.focus(), "a row");
  });
});

test("Ctrl K goes to a feed or runs a command by a few letters", async () => {
  const as = await world.user("palette@example.org");
  for (const locale of ["en", "ja"] as const) {
    await world.visit(
      { as, locale, scheme: locale === "ja" ? "dark" : "light" },
      async (reader) => {
        if (locale === "en") await furnish(reader);
        await reader.open("/all");
        await reader.page.keyboard.press("Control+K");
        await reader.dialog().getByRole("combobox").waitFor();
        await look(reader, `palette-${locale}`);
        await assertAccessible(reader.page, `the palette (${locale})`);
        await reader.page.keyboard.type("xyzxyz");
        await settles("nothing", () => reader.dialog().getByRole("option").count(), 0);
        await reader.dialog().getByRole("combobox").fill("plain");
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
        await reader.dialog().getByRole("combobox").fill(say(locale, "Add a feed"));
        await reader.page.keyboard.press("Enter");
        await reader.dialog().locator("input[type=url]").waitFor();
      },
    );
  }
});

test("between a phone and a wide screen a rail opens the side bar as a drawer", async () => {
  const as = await world.user("rail@example.org");
  await world.visit({ as, width: 1000 }, async (reader) => {
    await furnish(reader);
    await reader.open("/all");
    await reader.page.locator(".rail").getByRole("button", { name: "Show the feeds" }).click();
    await settles("the focus is in the drawer", () => focused(reader), "All");
    await look(reader, "drawer");
    await reader.press("Escape");
    await settles("the focus is back", async () => (await reader.focus()).slice(0, 6), "button");
    await look(reader, "rail-1000");
    await assertAccessible(reader.page, "the rail");
  });
});
