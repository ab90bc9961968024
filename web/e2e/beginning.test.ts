// The first run with its three ways, and lists that come in and go out: long ones while one reads, what failed one by
// one, starred items.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { comes, eventually, settles } from "./harness/eventually.ts";
import { looksWell } from "./harness/look.ts";
import type { Reader } from "./harness/reader.ts";
import { say } from "./harness/words.ts";
import { openWorld, type World } from "./harness/world.ts";

let world: World;

before(async () => {
  world = await openWorld();
});
after(() => world?.close());

const outline = (title: string, path: string) =>
  `<outline type="rss" text="${title}" xmlUrl="${world.publisher.url(path)}"/>`;
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
  const downloading = reader.page.waitForEvent("download");
  await reader.dialog().getByText(button, { exact: true }).click();
  return readFile(await (await downloading).path(), "utf8");
}

test("a person without feeds is led to the first run; each way brings feeds, and reading begins", async () => {
  const as = await world.user("first@example.org", { isNew: true });
  await world.visit({ as }, async (reader) => {
    await reader.page.goto(world.ruri.base);
    await settles("the address", () => reader.path(), "/welcome");
    // Once left it does not come by itself again, on no device.
    const saved = reader.page.waitForResponse("**/api/user/preferences");
    await reader.page.getByRole("link", { name: "Not now" }).click();
    await saved;
    await reader.page.getByRole("link", { name: "Begin here" }).waitFor();
    assert.equal(reader.path(), "/all", "one press is enough");
    await reader.open("/");
    assert.equal(reader.path(), "/all");
    await reader.page.getByRole("link", { name: "Begin here" }).click();
    await settles("the address", () => reader.path(), "/welcome");
    await settles("the focus", () => reader.focus(), "h1.");

    // With keys alone: past "Not now" into the field, look, take.
    await reader.press("Tab");
    await reader.press("Tab");
    await reader.page.keyboard.insertText(world.publisher.url("/feeds/plain.xml"));
    await reader.press("Enter");
    await reader.dialog().locator("label", { hasText: "Plain Notes" }).waitFor();
    await reader.press("Enter");
    await settles("the dialog", () => reader.dialog().count(), 0);
    assert.equal(reader.path(), "/welcome");
    const soFar = reader.page.locator(".so-far li");
    await soFar.filter({ hasText: "Plain Notes" }).getByText("5 items").waitFor();
    assert.notEqual(await reader.focus(), "body");

    // The packs' own addresses are strangers': the publisher's go to the server in their place.
    await reader.page.route("**/api/import/opml", async (route) => {
      const response = await reader.page.context().request.post(route.request().url(), {
        headers: { "Content-Type": "text/x-opml" },
        data: opml(
          `<outline text="English tech">${outline("雨の日", "/feeds/nihongo.atom")}${outline("Gone", "/status/404")}</outline>`,
        ).buffer.toString(),
      });
      await route.fulfill({ response });
    });
    await reader.page.getByRole("button", { name: "Feeds of English tech" }).click();
    await reader.page.getByRole("checkbox", { name: "Hacker News" }).check();
    await reader.page.getByRole("checkbox", { name: "Lobsters" }).check();
    await reader.page.getByRole("button", { name: "Subscribe to 2 feeds" }).click();
    await comes(soFar.filter({ hasText: "雨の日" }).getByText(/items/));
    await comes(
      soFar.filter({ hasText: "Gone" }).getByText("The feed is gone from this address (404)."),
    );
    assert.equal((await reader.api.feed("雨の日の覚え書き")).folder, "English tech");
    await reader.page.getByRole("button", { name: "Try the failed one again" }).waitFor();

    await reader.page.getByRole("link", { name: "Start reading" }).first().click();
    await settles("the rows", async () => (await reader.titles()).length > 5, true);
    // Three hints at most, each once.
    const hint = reader.page.getByRole("complementary", { name: "Hint" });
    await hint.getByText(/opens the next item/).waitFor();
    await hint.getByRole("button", { name: "Got it" }).click();
    await reader.openRow("A walk at noon");
    await hint.getByText(/keeps an item with a star/).waitFor();
    await hint.getByRole("button", { name: "No more hints" }).click();
    await settles("the hint", () => hint.count(), 0);
    await reader.open("/all");
    assert.equal(await hint.count(), 0);
  });
});

test("a long list comes in while one reads, is found again after a reload, and tells its end", async () => {
  const as = await world.user("long@example.org");
  await world.visit({ as }, async (reader) => {
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
    await reader.dialog().getByText("You can close this window and read: it goes on.").waitFor();
    await reader.press("Escape");
    await settles("the dialog", () => reader.dialog().count(), 0);
    const pill = reader.page.locator(".import-progress");
    await pill.waitFor();
    // What has come is there to be read.
    await settles("the rows", async () => (await reader.titles()).length > 0, true);
    await reader.open("/all");
    await pill.click();
    await reader.dialog().getByRole("progressbar").waitFor();
    await reader.press("Escape");
    await pill.waitFor();
    isDone = true;
    await comes(reader.toast("The import is done: 25 added."));
    await settles("the pill", () => pill.count(), 0);
    await reader.page.getByRole("button", { name: "Show", exact: true }).click();
    await reader.dialog().getByText("25 feeds were added.").waitFor();
    await reader.dialog().getByRole("button", { name: "Forget this import" }).click();
    await eventually(
      "the imports",
      () => reader.api.get<{ imports: unknown[] }>("/api/imports"),
      ({ imports }) => imports.length === 0,
    );
    await reader.page.unrouteAll({ behavior: "wait" });
  });
});

test("what fails is told one by one, tried again, saved and forgotten", async () => {
  const as = await world.user("failed@example.org");
  await world.visit({ as }, async (reader) => {
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
      .getByText(/not an address of the web/)
      .waitFor();
    await comes(failures.filter({ hasText: "Gone" }).getByText(/is gone from this address/));
    const saved = await downloaded(reader, "Save the failed as OPML");
    assert.match(saved, /<outline text="News">\s*<outline type="rss" text="Gone"/);
    assert.ok(saved.includes(world.publisher.url("/status/404")), saved);

    const retry = reader.dialog().getByRole("button", { name: "Try the failed one again" });
    const refreshed = reader.page.waitForResponse(/\/refresh$/);
    await retry.click();
    await refreshed;
    await reader.dialog().getByRole("button", { name: "Done" }).click();
    await reader.choose("Settings", "Import OPML");
    await reader.dialog().getByText("1 earlier import").click();
    await reader
      .dialog()
      .getByRole("button", { name: /My list/ })
      .click();
    await failures.filter({ hasText: "By file" }).waitFor();
    await reader.dialog().getByRole("button", { name: "Forget this import" }).click();
    await settles("the report", () => failures.count(), 0);
    assert.equal((await reader.api.feeds()).feeds.length, 2);
  });
});

test("starred items go out as a file, and come in elsewhere", async () => {
  const from = await world.user("stars-from@example.org");
  const to = await world.user("stars-to@example.org");
  let file = "";
  await world.visit({ as: from }, async (reader) => {
    await reader.api.addFeed(world.publisher.url("/feeds/plain.xml"));
    const item = await reader.api.item("Plain Notes", "A walk at noon");
    await reader.api.setState(item.id, { isStarred: true });
    await reader.open("/all");
    await reader.choose("Settings", "Import OPML");
    file = await downloaded(reader, "Export starred items");
    assert.equal(JSON.parse(file).items.length, 1);
  });
  await world.visit({ as: to }, async (reader) => {
    await reader.open("/all");
    await drop(reader, {
      name: "starred.json",
      mimeType: "application/json",
      buffer: Buffer.from(file),
    });
    await reader.dialog().getByText("1 starred item was kept.").waitFor();
    assert.equal((await reader.api.items(null, "starred"))[0]?.title, "A walk at noon");
  });
});

const dresses = [
  { locale: "en", scheme: "light", width: 1440, height: 900 },
  { locale: "ja", scheme: "dark", width: 1440, height: 900 },
  { locale: "ja", scheme: "light", width: 390, height: 844 },
  { locale: "en", scheme: "dark", width: 390, height: 844 },
] as const;

for (const dress of dresses) {
  const { locale, scheme, width } = dress;
  test(`the first run looks well: ${locale}, ${scheme}, ${width} wide`, async () => {
    const as = await world.user(`begins-${locale}-${scheme}-${width}@example.org`);
    await world.visit({ as, ...dress }, async (reader) => {
      await reader.page.goto(`${world.ruri.base}/welcome`);
      await reader.page.locator(".packs").waitFor();
      await reader.page.locator(".packs .icon-btn").first().click();
      await looksWell(reader, "welcome", dress);
      await drop(
        reader,
        opml(
          outline("Plain", "/feeds/plain.xml"),
          outline("雨の日", "/feeds/nihongo.atom"),
          outline("Gone", "/status/404"),
          '<outline text="By file" type="rss" xmlUrl="file:///etc/hosts"/>',
        ),
      );
      await comes(reader.dialog().locator(".failures li").nth(1));
      await looksWell(reader, "import-report", dress);
      await reader
        .dialog()
        .getByRole("button", { name: say(locale, "Done") })
        .click();
      await reader.page.locator(".so-far li[data-stage=failed]").waitFor();
      await settles(
        "feeds on their way",
        () => reader.page.locator(".so-far li[data-stage=waiting]").count(),
        0,
      );
      await looksWell(reader, "welcome-fed", dress);
      await reader.page
        .getByRole("link", { name: say(locale, "Start reading") })
        .first()
        .click();
      await reader.page.locator(".hint").waitFor();
      await looksWell(reader, "hint", dress);
    });
  });
}
