// The side bar: folders in folders, counts, walking by keys, and what a person does to feeds and folders there.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assertAccessible } from "./harness/axe.ts";
import { eventually, settles } from "./harness/eventually.ts";
import { artifacts } from "./harness/places.ts";
import type { Reader } from "./harness/reader.ts";
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
    assert.match(reader.path(), /^\/label\//);
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
      assert.equal(await focused(reader), name, `after ${key}`);
    }
    await reader.press("Enter");
    await settles("the focus", () => reader.focus(), "the list's heading");
    assert.match(reader.path(), /^\/folder\//);
    await reader.press("Shift+J");
    await eventually(
      "the next feed with unread items",
      () => reader.path(),
      (path) => path.startsWith("/feed/"),
    );
  });
});
