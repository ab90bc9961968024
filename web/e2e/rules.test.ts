// Rules and labels: a rule is tried before it is saved, carried out, put in order and deleted; what it hid is found
// and shown again; complaints stand beside their fields.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { eventually, hasFocus, settles } from "./harness/eventually.ts";
import { artifacts } from "./harness/places.ts";
import type { Reader } from "./harness/reader.ts";
import { say } from "./harness/words.ts";
import { openWorld, type World } from "./harness/world.ts";

interface Rules {
  rules: {
    id: string;
    name: string;
    isEnabled: boolean;
    actions: { type: string; labelId?: string }[];
  }[];
}

const screens = join(artifacts, "screens");
let world: World;

before(async () => {
  await mkdir(screens, { recursive: true });
  world = await openWorld();
});
after(() => world?.close());

async function someone(email: string) {
  const as = await world.user(email);
  await world.visit({ as }, async ({ api }) => {
    await api.addFeed(world.publisher.url("/feeds/plain.xml"), "Notes");
    await api.addFeed(world.publisher.url("/feeds/nihongo.atom"), "日記");
  });
  return as;
}

async function openRules(reader: Reader): Promise<void> {
  await reader.page.goto(`${world.ruri.base}/rules`);
  await reader.page.locator(".page :is(.rule-list, .state)").first().waitFor();
}

const rulesOf = async (reader: Reader) => (await reader.api.get<Rules>("/api/rules")).rules;
const words = (reader: Reader) => reader.page.getByLabel("Condition 1: words");

test("a rule made by keys alone is tried, saved, carried out, and what it hid is shown again", async () => {
  const as = await someone("rules@example.org");
  await world.visit({ as }, async (reader) => {
    const { page } = reader;
    await reader.open("/all");
    await reader.choose("Settings", "Rules and labels");
    await page.getByText("There are no rules yet").waitFor();
    // Each page begins at its heading: what takes the focus before that loses it again.
    await settles("the focus", () => reader.focus(), "h1.");
    await page.locator(".state").getByRole("link", { name: "New rule" }).focus();
    await page.keyboard.press("Enter");
    await words(reader).waitFor();
    await settles("the focus", () => reader.focus(), "h1.");
    await words(reader).focus();
    await page.keyboard.type("noon、kettle");
    await page.getByLabel("Hide it;").focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Try it" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Of the newest 9 items it finds 2: hide.").waitFor();
    const marks = page.locator(".trial-list mark");
    await settles("the marks", () => marks.allTextContents(), ["noon", "kettle"]);
    assert.equal((await rulesOf(reader)).length, 0, "a trial saves nothing");

    await words(reader).focus();
    await page.keyboard.press("Enter");
    await reader.toast("holds for what arrives from now on.").waitFor();
    await settles("the rules", async () => (await rulesOf(reader)).length, 1);
    await settles("the address", () => reader.path(), "/rules");
    await settles("the focus", () => reader.focus(), "h1.");

    await page.getByRole("button", { name: /^Carry out on what is unread/ }).click();
    await reader.toast("2 hidden").waitFor();
    await settles("what is hidden", () => page.locator(".hidden-list li").count(), 2);
    const row = page.locator(".hidden-list li", { hasText: "A walk at noon" });
    await row.getByText("a rule without a name").waitFor();
    await row.getByRole("button").focus();
    await page.keyboard.press("Enter");
    await reader.toast("It is among the unread items again").waitFor();
    await settles("what is hidden", () => page.locator(".hidden-list li").count(), 1);
    await settles("the focus is on the next row's button", () => reader.focus(), "button.btn");
    assert.equal((await reader.api.item("Plain Notes", "A walk at noon")).isRead, false);
  });
});

test("what a trial found is in view, beside the button that asked for it", async () => {
  const as = await someone("trial@example.org");
  for (const [width, height] of [
    [1440, 900],
    [390, 664],
  ] as const) {
    await world.visit({ as, width, height }, async (reader) => {
      const { page } = reader;
      await page.goto(`${world.ruri.base}/rules?edit=new`);
      // The longest form that is usual: the button stands at the foot of the screen.
      for (let more = 0; more < 3; more += 1)
        await page.getByRole("button", { name: "Another condition" }).click();
      for (const number of [1, 2, 3, 4])
        await page.getByLabel(`Condition ${number}: words`).fill("noon、kettle");
      await page.getByLabel("Star it").check();
      const button = page.getByRole("button", { name: "Try it" });
      await button.evaluate((one) => one.scrollIntoView({ block: "end" }));
      await button.click();
      const outcome = page.getByRole("status").filter({ hasText: /^Of the newest 9 items/ });
      await outcome.waitFor();
      const seen = () =>
        page.evaluate(() =>
          [".ends .btn", ".outcome", ".trial-list > li"].filter((what) => {
            const box = document.querySelector(what)?.getBoundingClientRect();
            const pane = document.querySelector(".page > main")?.getBoundingClientRect();
            return box && pane && box.top >= pane.top && box.bottom <= innerHeight;
          }),
        );
      await settles(`what is seen at ${width}`, seen, [
        ".ends .btn",
        ".outcome",
        ".trial-list > li",
      ]);
      await page.screenshot({ path: join(screens, `trial-light-${width}-en.png`) });

      for (const number of [1, 2, 3, 4])
        await page.getByLabel(`Condition ${number}: words`).fill("not to be found");
      await button.evaluate((one) => one.scrollIntoView({ block: "end" }));
      await button.click();
      await page.getByRole("status").filter({ hasText: "It finds nothing" }).waitFor();
      await settles(`what is seen at ${width}`, seen, [".ends .btn", ".outcome"]);
    });
  }
});

test("complaints stand beside their fields, and an unsaved rule can be brought back", async () => {
  const as = await someone("wrong@example.org");
  for (const locale of ["en", "ja"] as const) {
    await world.visit({ as, locale }, async (reader) => {
      const { page } = reader;
      reader.watch.expectStatus(400);
      await page.goto(`${world.ruri.base}/rules?edit=new`);
      await page.getByRole("button", { name: say(locale, "Save") }).click();
      await page.getByText(say(locale, "Enter the words to look for.")).waitFor();
      await page.getByText(say(locale, "Choose at least one thing to do.")).waitFor();
      const field = page.locator(".conditions input");
      await settles(
        "the field",
        () => field.evaluate((box) => box === document.activeElement),
        true,
      );
      assert.equal(await field.getAttribute("aria-invalid"), "true");

      await page
        .getByLabel(say(locale, "Condition {number}: how", { number: "1" }))
        .selectOption("regexp");
      await field.fill("(open");
      await page.getByLabel(say(locale, "Star it")).check();
      await page.getByRole("button", { name: say(locale, "Try it") }).click();
      const complaint = page.locator(".conditions [role=alert]");
      await eventually(
        "the complaint",
        () => complaint.textContent(),
        (seen) => /6/.test(seen ?? ""),
      );

      await page.getByRole("button", { name: say(locale, "Cancel") }).click();
      await reader.toast(say(locale, "The rule was not saved.")).waitFor();
      await page.keyboard.press("z");
      await settles("the pattern", () => field.inputValue(), "(open");
      assert.equal((await rulesOf(reader)).length, 0);
    });
  }
});

test("rules are put in order, switched off and deleted, each with undo", async () => {
  const as = await someone("order@example.org");
  await world.visit({ as }, async (reader) => {
    const { page } = reader;
    const { revision } = await reader.api.get<{ revision: string }>("/api/rules");
    const rule = (name: string) => ({
      id: "",
      name,
      isEnabled: true,
      feeds: [],
      folders: [],
      match: "all",
      conditions: [{ field: "title", mode: "any", isNegated: false, words: [name] }],
      actions: [{ type: "star" }],
      stop: false,
    });
    await reader.api.send("PUT", "/api/rules", {
      revision,
      rules: ["one", "two", "three"].map(rule),
    });
    await openRules(reader);
    const order = async () => (await rulesOf(reader)).map(({ name }) => name).join(" ");
    await page.getByRole("button", { name: "Down: one" }).click();
    await settles("the order", order, "two one three");
    await hasFocus(reader);
    await page.getByLabel("two: on").click();
    await reader.toast("two is switched off.").waitFor();
    assert.equal((await rulesOf(reader))[0]?.isEnabled, false);
    await page.keyboard.press("z");
    await eventually(
      "the switch",
      () => rulesOf(reader),
      ([first]) => first?.isEnabled === true,
    );
    await page.getByRole("button", { name: "Delete: one" }).focus();
    await page.keyboard.press("Enter");
    await reader.toast("one was deleted.").waitFor();
    assert.equal(await order(), "two three");
    await hasFocus(reader);
    await page.keyboard.press("z");
    await settles("the order", order, "two one three");
  });
});

test("labels are made, renamed, put in order and deleted; undone, the items have theirs again", async () => {
  const as = await someone("labels@example.org");
  await world.visit({ as }, async (reader) => {
    const { page, api } = reader;
    const labels = async () =>
      (await api.get<{ labels: { id: string; name: string }[] }>("/api/labels")).labels;
    const order = async () => (await labels()).map(({ name }) => name).join(" ");
    await openRules(reader);
    const field = page.getByLabel("New label", { exact: true });
    for (const name of ["Later", "論文"]) {
      await field.fill(name);
      await page.keyboard.press("Enter");
      await settles("the field", () => field.inputValue(), "");
    }
    reader.watch.expectStatus(409);
    await field.fill("Later");
    await page.keyboard.press("Enter");
    await eventually(
      "the complaint",
      () => page.locator(".name-form [role=alert]").last().textContent(),
      (seen) => (seen ?? "") !== "",
    );
    await field.fill("");
    await page.getByRole("button", { name: "Up: 論文" }).click();
    await settles("the order", order, "論文 Later");
    const [first] = await labels();
    const item = await api.item("Plain Notes", "A walk at noon");
    await api.send("PUT", `/api/items/${item.id}/labels`, { labels: [first?.id] });

    const name = page.getByLabel("Name of the label Later");
    await name.fill("Some day");
    await page.keyboard.press("Enter");
    await settles("the order", order, "論文 Some day");

    await page.getByRole("button", { name: "Delete: 論文" }).click();
    await reader.toast("The label 論文 was deleted.").waitFor();
    assert.equal(await order(), "Some day");
    await hasFocus(reader);
    await page.keyboard.press("z");
    await settles("the order", order, "論文 Some day");
    const [again] = await labels();
    await eventually(
      "the label's items",
      () => api.get<{ items: { id: string }[] }>(`/api/items?label=${again?.id}`),
      ({ items }) => items.length === 1 && items[0]?.id === item.id,
    );
  });
});
