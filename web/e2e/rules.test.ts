// Rules and labels: a rule is tried before it is saved, and carried out; what it hid is found and shown again; labels are
// made, renamed, put in order and deleted.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { eventually, eventuallyEquals, hasFocus } from "./harness/eventually.ts";
import type { Reader } from "./harness/reader.ts";
import { keepScreenshot } from "./harness/screenshot.ts";

interface Rules {
  rules: {
    id: string;
    name: string;
    isEnabled: boolean;
    actions: { type: string; labelId?: string }[];
  }[];
}

let app: App;

before(async () => {
  app = await startApp();
});
after(() => app?.close());

async function someone(name: string) {
  const as = await app.user(name);
  await app.visit({ as }, async ({ api }) => {
    await api.addFeed(app.publisher.url("/feeds/plain.xml"), "Notes");
    await api.addFeed(app.publisher.url("/feeds/nihongo.atom"), "日記");
  });
  return as;
}

async function openRules(reader: Reader): Promise<void> {
  await reader.page.goto(`${app.backend.base}/rules`);
  await reader.page.locator(".page :is(.rule-list, .state)").first().waitFor();
}

const rulesOf = async (reader: Reader) => (await reader.api.get<Rules>("/api/rules")).rules;
const words = (reader: Reader) => reader.page.getByLabel("Condition 1: text");

test("a rule made by keys alone is tried, saved, carried out, and what it hid is shown again", async () => {
  const as = await someone("rules");
  await app.visit({ as }, async (reader) => {
    const { page } = reader;
    await reader.open("/all");
    await reader.choose("Manage", "Rules and labels");
    await page.getByText("No rules yet").waitFor();
    // Each page begins at its heading: what takes the focus before that loses it again.
    await eventuallyEquals("the focus", () => reader.focus(), "h1.");
    await page.locator(".state").getByRole("link", { name: "New rule" }).focus();
    await page.keyboard.press("Enter");
    await words(reader).waitFor();
    await eventuallyEquals("the focus", () => reader.focus(), "h1.");
    await words(reader).focus();
    await page.keyboard.type("noon、kettle");
    await page.getByLabel("Hide (").focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Preview" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Matches 2 of the newest 9 articles: hide.").waitFor();
    const marks = page.locator(".trial-list mark");
    await eventuallyEquals("the marks", () => marks.allTextContents(), ["noon", "kettle"]);
    assert.equal((await rulesOf(reader)).length, 0, "a trial saves nothing");

    await words(reader).focus();
    await page.keyboard.press("Enter");
    await reader.toast("applies to new articles from now on").waitFor();
    await eventuallyEquals("the rules", async () => (await rulesOf(reader)).length, 1);
    await eventuallyEquals("the address", () => reader.path(), "/rules");
    await eventuallyEquals("the focus", () => reader.focus(), "h1.");

    await page.getByRole("button", { name: /^Apply to unread articles/ }).click();
    await reader.toast("2 hidden").waitFor();
    await eventuallyEquals("what is hidden", () => page.locator(".hidden-list li").count(), 2);
    const row = page.locator(".hidden-list li", { hasText: "A walk at noon" });
    await row.getByText("unnamed rule").waitFor();
    await row.getByRole("button").focus();
    await page.keyboard.press("Enter");
    await reader.toast("Marked as unread.").waitFor();
    await eventuallyEquals("what is hidden", () => page.locator(".hidden-list li").count(), 1);
    await eventuallyEquals(
      "the focus is on the next row's button",
      () => reader.focus(),
      "button.btn",
    );
    assert.equal((await reader.api.item("Plain Notes", "A walk at noon")).isRead, false);
  });
});

test("what a trial found is in view, beside the button that asked for it", async () => {
  const as = await someone("trial");
  for (const [width, height] of [
    [1440, 900],
    [390, 664],
  ] as const) {
    await app.visit({ as, width, height }, async (reader) => {
      const { page } = reader;
      await page.goto(`${app.backend.base}/rules?edit=new`);
      // The longest form that is usual: the button stands at the foot of the screen.
      for (let more = 0; more < 3; more += 1)
        await page.getByRole("button", { name: "Add condition" }).click();
      for (const number of [1, 2, 3, 4])
        await page.getByLabel(`Condition ${number}: text`).fill("noon、kettle");
      await page.getByLabel("Add star").check();
      const button = page.getByRole("button", { name: "Preview" });
      await button.evaluate((one) => one.scrollIntoView({ block: "end" }));
      await button.click();
      const outcome = page
        .getByRole("status")
        .filter({ hasText: /^Matches \d+ of the newest 9 articles/ });
      await outcome.waitFor();
      const seen = () =>
        page.evaluate(() =>
          [".ends .btn", ".outcome", ".trial-list > li"].filter((what) => {
            const box = document.querySelector(what)?.getBoundingClientRect();
            const pane = document.querySelector(".page > main")?.getBoundingClientRect();
            return box && pane && box.top >= pane.top && box.bottom <= innerHeight;
          }),
        );
      await eventuallyEquals(`what is seen at ${width}`, seen, [
        ".ends .btn",
        ".outcome",
        ".trial-list > li",
      ]);
      await keepScreenshot(page, `screens/trial-light-${width}-en.png`);

      for (const number of [1, 2, 3, 4])
        await page.getByLabel(`Condition ${number}: text`).fill("not to be found");
      await button.evaluate((one) => one.scrollIntoView({ block: "end" }));
      await button.click();
      await page.getByRole("status").filter({ hasText: "No match in" }).waitFor();
      await eventuallyEquals(`what is seen at ${width}`, seen, [".ends .btn", ".outcome"]);

      // What the server refuses stands beside the field that it is about.
      reader.watch.expectStatus(400);
      await page.getByLabel("Condition 4: match").selectOption("regexp");
      await page.getByLabel("Condition 4: regular expression").fill("(open");
      await button.click();
      const complaint = page.locator(".conditions li").nth(3).getByRole("alert");
      await eventually(
        "the complaint",
        () => complaint.textContent(),
        (text) => /6/.test(text ?? ""),
      );
    });
  }
});

test("labels are made, renamed, put in order and deleted; undone, the items have theirs again", async () => {
  const as = await someone("rules-labels");
  await app.visit({ as }, async (reader) => {
    const { page, api } = reader;
    const labels = async () =>
      (await api.get<{ labels: { id: string; name: string }[] }>("/api/labels")).labels;
    const order = async () => (await labels()).map(({ name }) => name).join(" ");
    await openRules(reader);
    const field = page.getByLabel("New label", { exact: true });
    for (const name of ["Later", "論文"]) {
      await field.fill(name);
      await page.keyboard.press("Enter");
      await eventuallyEquals("the field", () => field.inputValue(), "");
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
    await eventuallyEquals("the order", order, "論文 Later");
    const [first] = await labels();
    const item = await api.item("Plain Notes", "A walk at noon");
    await api.send("PUT", `/api/items/${item.id}/labels`, { labels: [first?.id] });

    const name = page.getByLabel("Name of label Later");
    await name.fill("Some day");
    await page.keyboard.press("Enter");
    await eventuallyEquals("the order", order, "論文 Some day");

    await page.getByRole("button", { name: "Delete: 論文" }).click();
    await reader.toast("Label 論文 deleted").waitFor();
    assert.equal(await order(), "Some day");
    await hasFocus(reader);
    await page.keyboard.press("z");
    await eventuallyEquals("the order", order, "論文 Some day");
    const [again] = await labels();
    await eventually(
      "the label's items",
      () => api.get<{ items: { id: string }[] }>(`/api/items?label=${again?.id}`),
      ({ items }) => items.length === 1 && items[0]?.id === item.id,
    );
  });
});
