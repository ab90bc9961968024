// The first run with its three ways, and lists that come in and go out: long ones while one reads, what failed one by
// one, starred items.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { applyAppearance } from "./harness/appearance.ts";
import { serverText } from "./harness/catalog.ts";
import { eventually, eventuallyEquals, eventuallyVisible } from "./harness/eventually.ts";
import { assertPresentableInEach } from "./harness/presentable.ts";
import type { Reader } from "./harness/reader.ts";

let app: App;

before(async () => {
  app = await startApp();
});
after(() => app?.close());

const outline = (title: string, path: string) =>
  `<outline type="rss" text="${title}" xmlUrl="${app.publisher.url(path)}"/>`;
const opml = (...outlines: string[]) => ({
  name: "list.opml",
  mimeType: "text/x-opml",
  buffer: Buffer.from(
    `<opml version="2.0"><head><title>My list</title></head><body>${outlines.join("")}</body></opml>`,
  ),
});

/** Drops a file anywhere on the page, as from a folder's window. */
async function drop(reader: Reader, file: ReturnType<typeof opml>): Promise<void> {
  await reader.page.evaluate(
    ({ name, text, type }) => {
      const data = new DataTransfer();
      data.items.add(new File([text], name, { type }));
      for (const kind of ["dragover", "drop"]) {
        document.body.dispatchEvent(
          new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }),
        );
      }
    },
    { name: file.name, text: file.buffer.toString(), type: file.mimeType },
  );
}

async function downloaded(reader: Reader, button: string): Promise<string> {
  const { content } = await reader.download(() =>
    reader.dialog().getByText(button, { exact: true }).click(),
  );
  return content.toString();
}

test("a person without feeds is led to the first run; each way brings feeds, and reading begins", async () => {
  const as = await app.user("first", { isNew: true });
  await app.visit({ as }, async (reader) => {
    await reader.page.goto(app.backend.base);
    await eventuallyEquals("the address", () => reader.path(), "/welcome");
    // Once left it does not come by itself again, on no device.
    const saved = reader.page.waitForResponse("**/api/user/preferences");
    await reader.page.getByRole("link", { name: "Not now" }).click();
    await saved;
    await reader.page.getByRole("link", { name: "Get started" }).waitFor();
    assert.equal(reader.path(), "/all", "one press is enough");
    await reader.open("/");
    assert.equal(reader.path(), "/all");
    await reader.page.getByRole("link", { name: "Get started" }).click();
    await eventuallyEquals("the address", () => reader.path(), "/welcome");
    await eventuallyEquals("the focus", () => reader.focus(), "h1.");

    // With keys alone: past "Not now" into the field, look, take.
    await reader.press("Tab");
    await reader.press("Tab");
    await reader.page.keyboard.insertText(app.publisher.url("/feeds/plain.xml"));
    await reader.press("Enter");
    await reader.dialog().locator("label", { hasText: "Plain Notes" }).waitFor();
    await reader.press("Enter");
    await eventuallyEquals("the dialog", () => reader.dialog().count(), 0);
    assert.equal(reader.path(), "/welcome");
    const soFar = reader.page.locator(".so-far li");
    await soFar.filter({ hasText: "Plain Notes" }).getByText("5 articles").waitFor();
    assert.notEqual(await reader.focus(), "body");

    // The packs name real sites: the publisher's addresses are sent in their place.
    await reader.page.route("**/api/import/opml", async (route) => {
      const response = await reader.page.context().request.post(route.request().url(), {
        headers: { "Content-Type": "text/x-opml" },
        data: opml(
          `<outline text="English tech">${outline("雨の日", "/feeds/nihongo.atom")}${outline("Gone", "/status/404")}</outline>`,
        ).buffer.toString(),
      });
      await route.fulfill({ response });
    });
    await reader.page.getByRole("button", { name: "Feeds in English tech" }).click();
    await reader.page.getByRole("checkbox", { name: "Hacker News" }).check();
    await reader.page.getByRole("checkbox", { name: "Lobsters" }).check();
    await reader.page.getByRole("button", { name: "Subscribe to 2 feeds" }).click();
    await eventuallyVisible(soFar.filter({ hasText: "雨の日" }).getByText(/articles/));
    await eventuallyVisible(
      soFar.filter({ hasText: "Gone" }).getByText(serverText("en", "http_404", "feed").message),
    );
    assert.equal((await reader.api.feed("雨の日の覚え書き")).folder, "English tech");
    await reader.page.getByRole("button", { name: "Retry failed feed" }).waitFor();

    await reader.page.getByRole("link", { name: "Start reading" }).click();
    await reader.page.getByRole("region", { name: "Get started" }).waitFor();
    assert.equal(reader.path(), "/");
    // Three hints at most, each once.
    const hint = reader.page.getByRole("complementary", { name: "Tip" });
    await hint.getByText(/opens the next article/).waitFor();
    await hint.getByRole("button", { name: "Got it" }).click();
    await reader.open("/all");
    await eventuallyEquals("the rows", async () => (await reader.titles()).length > 5, true);
    await reader.openRow("A walk at noon");
    await hint.getByText(/stars an article/).waitFor();
    await hint.getByRole("button", { name: "Hide tips" }).click();
    await eventuallyEquals("the hint", () => hint.count(), 0);
    await reader.open("/all");
    assert.equal(await hint.count(), 0);
  });
});

test("a long list comes in while one reads, is found again after a reload, and tells its end", async () => {
  const as = await app.user("long");
  await app.visit({ as }, async (reader) => {
    await reader.open("/all");
    // The last feed takes as long as this test wants: one that is held back ends at its deadline.
    let isDone = false;
    await reader.page.route(/\/api\/imports\/\w+$/, async (route) => {
      if (route.request().method() !== "GET") return route.continue();
      const response = await route.fetch();
      const report = await response.json();
      const running = { state: "processing", done: Math.min(report.done, report.total - 1) };
      await route.fulfill({ response, json: isDone ? report : { ...report, ...running } });
    });
    const feeds = Array.from({ length: 25 }, (_, i) => outline(`Growing ${i}`, `/grow/n${i}.xml`));
    await drop(reader, opml(...feeds));
    await reader.dialog().getByRole("progressbar").waitFor();
    await reader.dialog().getByText("You can close this window. The import continues.").waitFor();
    await reader.press("Escape");
    await eventuallyEquals("the dialog", () => reader.dialog().count(), 0);
    const pill = reader.page.locator(".import-progress");
    await pill.waitFor();
    // What has come is there to be read.
    await eventuallyEquals("the rows", async () => (await reader.titles()).length > 0, true);
    await reader.open("/all");
    await pill.click();
    await reader.dialog().getByRole("progressbar").waitFor();
    await reader.press("Escape");
    await pill.waitFor();
    isDone = true;
    await eventuallyVisible(reader.toast("Import finished: 25 added"));
    await eventuallyEquals("the pill", () => pill.count(), 0);
    await reader.page.getByRole("button", { name: "Show", exact: true }).click();
    await reader.dialog().getByText("25 feeds were added.").waitFor();
    await reader.dialog().getByRole("button", { name: "Clear this result" }).click();
    await eventually(
      "the imports",
      () => reader.api.get<{ imports: unknown[] }>("/api/imports"),
      ({ imports }) => imports.length === 0,
    );
    await reader.page.unrouteAll({ behavior: "wait" });
  });
});

test("what fails is told one by one, tried again, saved and forgotten", async () => {
  const as = await app.user("failed");
  await app.visit({ as }, async (reader) => {
    reader.watch.expectStatus(409, 422, 429, 502);
    await reader.open("/all");
    await drop(
      reader,
      opml(
        outline("Plain", "/feeds/plain.xml"),
        `<outline text="News">${outline("Gone", "/status/404")}</outline>`,
        '<outline text="By file" type="rss" xmlUrl="file:///etc/hosts"/>',
      ),
    );
    const failures = reader.dialog().locator(".failures li");
    await failures
      .filter({ hasText: "By file" })
      .getByText(/not a valid web address/)
      .waitFor();
    await eventuallyVisible(
      failures.filter({ hasText: "Gone" }).getByText(/no longer exists at this address/),
    );
    const saved = await downloaded(reader, "Save failed feeds as OPML");
    assert.match(saved, /<outline text="News">\s*<outline type="rss" text="Gone"/);
    assert.ok(saved.includes(app.publisher.url("/status/404")), saved);

    const retry = reader.dialog().getByRole("button", { name: "Retry failed feed" });
    const refreshed = reader.page.waitForResponse(/\/refresh$/);
    await retry.click();
    await refreshed;
    await reader.dialog().getByRole("button", { name: "Done" }).click();
    await reader.choose("Manage", "Import OPML");
    await reader.dialog().getByText("1 earlier import").click();
    await reader
      .dialog()
      .getByRole("button", { name: /My list/ })
      .click();
    await failures.filter({ hasText: "By file" }).waitFor();
    await reader.dialog().getByRole("button", { name: "Clear this result" }).click();
    await eventuallyEquals("the report", () => failures.count(), 0);
    assert.equal((await reader.api.feeds()).feeds.length, 2);
  });
});

test("starred items go out as a file, and come in elsewhere", async () => {
  const from = await app.user("stars-from");
  const to = await app.user("stars-to");
  let file = "";
  await app.visit({ as: from }, async (reader) => {
    await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    const item = await reader.api.item("Plain Notes", "A walk at noon");
    await reader.api.setState(item.id, { isStarred: true });
    await reader.open("/all");
    await reader.choose("Manage", "Import OPML");
    file = await downloaded(reader, "Export starred articles");
    assert.equal(JSON.parse(file).items.length, 1);
  });
  await app.visit({ as: to }, async (reader) => {
    await reader.open("/all");
    await drop(reader, {
      name: "starred.json",
      mimeType: "application/json",
      buffer: Buffer.from(file),
    });
    await reader.dialog().getByText("1 starred article imported.").waitFor();
    assert.equal((await reader.api.items(null, "starred"))[0]?.title, "A walk at noon");
  });
});

for (const { width, height } of [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]) {
  test(`the first run looks well, ${width} wide`, async () => {
    const as = await app.user(`begins-${width}`);
    await app.visit({ as, width, height }, async (reader) => {
      const { page } = reader;
      await page.goto(`${app.backend.base}/welcome`);
      await page.locator(".packs").waitFor();
      await page.locator(".packs .icon-btn").first().click();
      await assertPresentableInEach(reader, "welcome", width);
      await drop(
        reader,
        opml(
          outline("Plain", "/feeds/plain.xml"),
          outline("雨の日", "/feeds/nihongo.atom"),
          outline("Gone", "/status/404"),
          '<outline text="By file" type="rss" xmlUrl="file:///etc/hosts"/>',
        ),
      );
      await eventuallyVisible(reader.dialog().locator(".failures li").nth(1));
      await assertPresentableInEach(reader, "import-report", width);
      await applyAppearance(reader, { scheme: "light", locale: "en" });
      await reader.dialog().getByRole("button", { name: "Done" }).click();
      await page.locator(".so-far li[data-stage=failed]").waitFor();
      await eventuallyEquals(
        "feeds on their way",
        () => page.locator(".so-far li[data-stage=waiting]").count(),
        0,
      );
      await assertPresentableInEach(reader, "welcome-fed", width);
      await applyAppearance(reader, { scheme: "light", locale: "en" });
      await page.getByRole("link", { name: "Start reading" }).click();
      await page.locator(".hint").waitFor();
      await page.locator(".today h1").waitFor();
      await assertPresentableInEach(reader, "hint", width);
    });
  });
}
