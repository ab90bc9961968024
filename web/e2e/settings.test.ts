// The settings: each choice holds at once, here and on the server, and is taken back by the toast or by z; keys
// are bound anew; on a phone a list leads to the sections.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { assertAccessible } from "./harness/axe.ts";
import { message } from "./harness/catalog.ts";
import { eventually, eventuallyEquals } from "./harness/eventually.ts";
import type { Reader } from "./harness/reader.ts";
import { keepScreenshot } from "./harness/screenshot.ts";

let app: App;
let owner: Awaited<ReturnType<App["owner"]>>;

before(async () => {
  app = await startApp({ samples: true });
  owner = await app.owner();
});
after(() => app?.close());

interface Preferences {
  theme: string;
  language: string;
  keymap: string;
  textStep: number;
  readingFont: string;
  autoMarkAsRead: boolean;
}
const kept = (reader: Reader) => reader.api.get<Preferences>("/api/user/preferences");

async function openSection(reader: Reader, section: string): Promise<void> {
  await reader.page.goto(`${app.backend.base}/settings/${section}`);
  await reader.page.locator(".section > .card, .section > :not(h1)").first().waitFor();
}

// R-123, G-76, C-26
test("a choice holds at once, here and on the server, and is taken back", async () => {
  await app.visit({ as: owner }, async (reader) => {
    const { page } = reader;
    await reader.open("/all");
    await reader.choose("Settings", "All settings");
    const theme = page.getByRole("radiogroup", { name: "Theme" });
    await theme.getByLabel("Dark").check();
    const shown = () => page.evaluate(() => document.documentElement.dataset.theme);
    await eventuallyEquals("the theme that is shown", shown, "dark");
    await eventuallyEquals("the theme", async () => (await kept(reader)).theme, "dark");
    await reader.toast("Theme: Dark").getByRole("button", { name: "Undo" }).click();
    await eventuallyEquals("the theme", async () => (await kept(reader)).theme, "auto");
    await eventuallyEquals("the theme that is shown", shown, "light");

    // The language changes without a reload; z takes it back.
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));
    await page.getByRole("radiogroup", { name: "Language" }).getByLabel("日本語").check();
    await page.getByRole("heading", { level: 1, name: message("ja", "Display") }).waitFor();
    await eventuallyEquals(
      "its language",
      () => page.evaluate(() => document.documentElement.lang),
      "ja",
    );
    await page.keyboard.press("z");
    await page.getByRole("heading", { level: 1, name: "Display" }).waitFor();
    assert.ok(await page.evaluate(() => "isSamePage" in window));
    await eventuallyEquals("the language", async () => (await kept(reader)).language, "auto");

    const sample = page.locator(".sample p").first();
    const before = await sample.evaluate((p) => getComputedStyle(p).fontSize);
    await page.getByRole("radiogroup", { name: "Text size" }).getByLabel("+3").check();
    await eventually(
      "the size of the sample",
      () => sample.evaluate((p) => getComputedStyle(p).fontSize),
      (size) => size !== before,
    );
    await eventuallyEquals("the step", async () => (await kept(reader)).textStep, 3);
    await page.reload();
    await eventuallyEquals(
      "the step",
      () => page.getByRole("radiogroup", { name: "Text size" }).getByLabel("+3").isChecked(),
      true,
    );

    // The sample is set as articles are.
    const fontOf = () => sample.evaluate((p) => getComputedStyle(p).fontFamily);
    const sans = await fontOf();
    await page
      .getByRole("radiogroup", { name: "Font" })
      .getByLabel("Serif", { exact: true })
      .check();
    await eventually("the sample's font", fontOf, (font) => font !== sans);
    // A page that is loaded anew is set as the server says.
    await eventuallyEquals("the font", async () => (await kept(reader)).readingFont, "mincho");
    const typeOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((text) => {
          const { fontFamily, fontSize, lineHeight, lineBreak } = getComputedStyle(text);
          return [fontFamily, fontSize, lineHeight, lineBreak];
        });
    const samples = {
      ja: await typeOf(".sample [lang=ja] p"),
      en: await typeOf(".sample [lang=en] p"),
    };
    await reader.open("/all");
    await reader.rows().first().click();
    await page.locator(".article .prose").waitFor();
    const lang = await page.locator("article.article").getAttribute("lang");
    await eventuallyEquals(
      "the article's type",
      () => typeOf(".article .prose"),
      lang === "ja" ? samples.ja : samples.en,
    );
  });
});

test("keys alone lead through the settings and bind a key anew, conflicts named", async () => {
  await app.visit({ as: owner }, async (reader) => {
    const { page } = reader;
    const press = (key: string) => reader.press(key);
    await reader.open("/all");
    await press(",");
    await page.getByRole("heading", { level: 1, name: "Display" }).waitFor();
    await openSection(reader, "keys");
    const row = page.locator("[data-command='item.star']");
    await row.getByRole("button", { name: /^Change shortcut s/ }).focus();
    await press("Enter");
    await press("m");
    const alert = row.getByRole("alert");
    await alert.getByText("is already used for: Toggle read.").waitFor();
    await eventuallyEquals(
      "the focus",
      () => row.locator("[data-take]").evaluate((b) => b === document.activeElement),
      true,
    );
    await assertAccessible(page, "keys, conflict");
    await keepScreenshot(page, "screens/settings-keys-conflict.png");
    await press("Enter");
    await reader.toast("Shortcut m set for: Toggle star").waitFor();
    await eventuallyEquals(
      "the keys of who had it",
      () => page.locator("[data-command='item.read'] .key").count(),
      0,
    );
    // Another, of two presses.
    await row.getByRole("button", { name: "Add shortcut: Toggle star" }).focus();
    await press("Enter");
    await reader.pressAll(["x", "y"]);
    await eventuallyEquals("the keys", () => row.locator(".key").allTextContents(), ["m", "x y"]);

    await reader.open("/all");
    await reader.page.keyboard.press("j");
    await reader.articleShows((await reader.articleTitle()) ?? "");
    await page.keyboard.press("m");
    await eventuallyEquals("the starred", () => reader.sideCount("Starred"), 1);
    await page.keyboard.press("s");
    await reader.pressAll(["x", "y"]);
    await eventuallyEquals("the starred", () => reader.sideCount("Starred"), 0);

    // LDR, off, and all as usual.
    await openSection(reader, "keys");
    await page.getByRole("button", { name: "Reset all shortcuts" }).click();
    await eventuallyEquals("the keys", () => row.locator(".key").allTextContents(), ["s"]);
    const preset = page.getByRole("radiogroup", { name: "Keys" });
    await preset.getByLabel("LDR").check();
    await eventuallyEquals("the keys", () => row.locator(".key").allTextContents(), ["⇧S"]);
    await preset.getByLabel("Off").check();
    await eventuallyEquals("the preset", async () => (await kept(reader)).keymap, "none");
    await page.keyboard.press("?");
    await reader.frames(2);
    assert.equal(await reader.dialog().count(), 0);
    await preset.getByLabel("Reader").check();
    await eventuallyEquals("the preset", async () => (await kept(reader)).keymap, "reader");
    await page.keyboard.press("?");
    await reader.dialog().waitFor();
  });
});

test("on a phone a list leads to each section, and back is the system's", async () => {
  await app.visit({ as: owner, width: 390, height: 844 }, async (reader) => {
    const { page } = reader;
    await page.goto(`${app.backend.base}/settings`);
    await page.getByRole("link", { name: "Reading" }).tap();
    await page.getByRole("heading", { level: 1, name: "Reading" }).waitFor();
    await eventuallyEquals(
      "the list of sections",
      () => page.getByRole("navigation", { name: "Settings" }).count(),
      0,
    );
    await page.goBack();
    await page.getByRole("link", { name: "Keys" }).waitFor();
    await page.getByRole("link", { name: "Keys" }).tap();
    await page.getByRole("link", { name: "Back to settings" }).tap();
    await eventually(
      "the address",
      () => reader.path(),
      (path) => path === "/settings",
    );
  });
});
