// How feeds come in: by address, by a site's page, by OPML; and what is said when they do not.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { message, serverText } from "./harness/catalog.ts";
import { eventually, eventuallyEquals } from "./harness/eventually.ts";
import { assertPresentableInEach } from "./harness/presentable.ts";
import type { Reader } from "./harness/reader.ts";

let app: App;

before(async () => {
  app = await startApp();
});
after(() => app?.close());

/** Opens the dialog, types an address and has it looked at. */
async function enter(reader: Reader, address: string): Promise<void> {
  if ((await reader.dialog().count()) === 0) await reader.press("a");
  await reader.dialog().locator("input[type=url]").fill(address);
  await reader.page.keyboard.press("Enter");
}

/** Takes what was found. */
async function subscribe(reader: Reader): Promise<void> {
  await reader.dialog().getByRole("button", { name: "Subscribe", exact: true }).click();
}

test("a feed is added by its address", async () => {
  const as = await app.user("direct");
  await app.visit({ as }, async (reader) => {
    await reader.open("/all");
    await enter(reader, app.publisher.url("/feeds/plain.xml"));
    const offer = reader.dialog().locator("label", { hasText: "Plain Notes" });
    await offer.getByText("RSS", { exact: true }).waitFor();
    await offer.getByText("English", { exact: true }).waitFor();
    await reader
      .dialog()
      .getByRole("list", { name: "Latest articles" })
      .getByText("A walk at noon")
      .waitFor();
    await subscribe(reader);
    await reader.toast("Subscribed to Plain Notes").waitFor();
    await eventuallyEquals("the dialog", () => reader.dialog().count(), 0);
    const feed = await reader.api.feed("Plain Notes");
    await eventuallyEquals("the address", () => reader.path(), `/feed/${feed.id}`);
    await eventuallyEquals("the count", () => reader.sideCount("Plain Notes"), 5);
    await eventuallyEquals("the rows", async () => (await reader.titles()).length, 5);
    await reader.openRow("A walk at noon");
    assert.notEqual(await reader.focus(), "body");

    await reader.side("Unread").click();
    await eventuallyEquals("the address", () => reader.path(), "/all?f=unread");
    await enter(reader, app.publisher.url("/feeds/plain.xml"));
    await reader.dialog().getByText("Subscribed", { exact: true }).waitFor();
    await reader.dialog().getByRole("button", { name: "Open feed" }).click();
    await eventuallyEquals("the address", () => reader.path(), `/feed/${feed.id}`);
    assert.equal((await reader.api.feeds()).feeds.length, 1);

    // It can be undone.
    await enter(reader, app.publisher.url("/feeds/nihongo.atom"));
    await subscribe(reader);
    await reader.toast("Subscribed to 雨の日の覚え書き").waitFor();
    // Its articles are there: a request for them that the undo overtakes is answered 404.
    await eventually(
      "the rows",
      () => reader.titles(),
      (titles) => titles.length > 0 && !titles.includes("A walk at noon"),
    );
    await reader.page.keyboard.press("z");
    await eventually(
      "the feeds",
      async () => (await reader.api.feeds()).feeds.length,
      (n) => n === 1,
    );
    await eventuallyEquals("the address", () => reader.path(), "/all");
  });
});

test("a feed is found by the page of its site, and put into a new folder", async () => {
  const as = await app.user("site");
  await app.visit({ as }, async (reader) => {
    await reader.open("/all");
    await enter(reader, app.publisher.url("/pages/site.html"));
    await reader.dialog().getByLabel("Folder", { exact: true }).selectOption("New folder…");
    await reader.dialog().getByLabel("New folder name").fill("日記");
    await reader.dialog().getByLabel("Interval").selectOption("every 3 hours");
    await subscribe(reader);
    await reader.toast("Subscribed to 雨の日の覚え書き").waitFor();
    const feed = await reader.api.feed("雨の日の覚え書き");
    assert.equal(feed.url, app.publisher.url("/feeds/nihongo.atom"));
    assert.equal(feed.folder, "日記");
    assert.equal((feed as unknown as { ownIntervalMinutes: number }).ownIntervalMinutes, 180);
    await reader.page.locator(".side .folder", { hasText: "日記" }).waitFor();
    await reader.openRow("三十五年目の万年筆");
    assert.equal(await reader.page.locator(".prose").getAttribute("lang"), "ja");
  });
});

test("of several feeds one is chosen, with keys alone, into a folder that is there", async () => {
  const as = await app.user("several");
  await app.visit({ as, locale: "ja" }, async (reader) => {
    await reader.api.send("POST", "/api/folders", { name: "Audio" });
    await reader.open("/all");
    await reader.press("a");
    await reader.dialog().waitFor();
    await reader.press("Escape");
    await eventuallyEquals("the dialog", () => reader.dialog().count(), 0);
    await reader.press("a");
    await reader.dialog().waitFor();
    await reader.page.keyboard.insertText(app.publisher.url("/pages/several.html"));
    await reader.press("Enter");
    await reader.dialog().getByText("3件のフィードが見つかりました").waitFor();
    await reader.press("Tab");
    await reader.press("ArrowDown");
    await reader.press("ArrowDown");
    const chosen = reader.dialog().locator("input[type=radio]:checked");
    assert.equal(await chosen.inputValue(), app.publisher.url("/feeds/podcast.xml"));
    await reader.press("Tab");
    await reader.press("A");
    // Enter on the select opens it; the submit button is a few steps on.
    const submit = reader.dialog().locator("button[type=submit]:focus");
    for (let i = 0; i < 5 && (await submit.count()) === 0; i += 1) await reader.press("Tab");
    await reader.press("Enter");
    await reader.page.getByText(/を購読しました/).waitFor();
    const [feed] = (await reader.api.feeds()).feeds;
    assert.equal(feed?.url, app.publisher.url("/feeds/podcast.xml"));
    assert.equal(feed?.folder, "Audio");
  });
});

test("what another app shares is looked at at once", async () => {
  const as = await app.user("share");
  await app.visit({ as }, async (reader) => {
    const url = app.publisher.url("/feeds/plain.xml");
    // As a phone shares a page: the address somewhere in the text, under the names of the manifest.
    const { share_target } = await reader.api.get<{
      share_target: { action: string; params: { title: string; text: string } };
    }>("/app.webmanifest");
    const shared = new URLSearchParams({
      [share_target.params.title]: "Plain",
      [share_target.params.text]: `Notes, plain ones: ${url}`,
    });
    await reader.open(`${share_target.action}?${shared}`);
    await reader.dialog().locator("label", { hasText: "Plain Notes" }).waitFor();
    await subscribe(reader);
    await reader.toast("Subscribed to Plain Notes").waitFor();
    await eventuallyEquals("the address", () => reader.path().slice(0, 6), "/feed/");
  });
});

const refusals: readonly { what: string; address: () => string; code: string; status: number }[] = [
  {
    what: "not an address",
    address: () => "http://",
    code: "bad_url",
    status: 400,
  },
  {
    what: "a page without a feed",
    address: () => app.publisher.url("/pages/bare.html"),
    code: "no_feed_found",
    status: 422,
  },
  {
    what: "a name that does not exist",
    address: () => "http://no-such-site.invalid/feed",
    code: "dns_failure",
    status: 422,
  },
  {
    what: "404",
    address: () => app.publisher.url("/status/404"),
    code: "http_404",
    status: 422,
  },
  {
    what: "410",
    address: () => app.publisher.url("/status/410"),
    code: "http_410",
    status: 422,
  },
  {
    what: "500",
    address: () => app.publisher.url("/status/500"),
    code: "http_5xx",
    status: 422,
  },
  {
    what: "an address inside a private network",
    address: () => "http://192.168.7.7/feed",
    code: "blocked_address",
    status: 422,
  },
];

// In Japanese: the page must have told the server its language.
test("each refusal of an address has its sentence (ja)", async (t) => {
  const as = await app.user("refused-ja");
  await app.visit({ as, locale: "ja" }, async (reader) => {
    await reader.open("/all");
    await enter(reader, "   ");
    await reader.dialog().getByText(message("ja", "Enter an address.")).waitFor();
    for (const { what, address, code, status } of refusals) {
      await t.test(what, async () => {
        reader.watch.expectStatus(status);
        await enter(reader, address());
        await reader
          .dialog()
          .getByRole("alert")
          .getByText(serverText("ja", code).message)
          .waitFor();
        assert.equal(await reader.focus(), "input.", "the field has the focus again");
      });
    }
    assert.deepEqual((await reader.api.feeds()).feeds, []);
  });
});

test("a page whose feeds are gone names them, to choose from", async () => {
  const as = await app.user("dangling");
  await app.visit({ as }, async (reader) => {
    reader.watch.expectStatus(422);
    await reader.open("/all");
    await enter(reader, app.publisher.url("/pages/dangling.html"));
    await reader.dialog().getByText("Feeds listed on the page").waitFor();
    const names = await reader.dialog().locator("fieldset li .block.truncate").allTextContents();
    assert.deepEqual(names, [
      "Old news",
      app.publisher.url("/status/404"),
      "Older news",
      app.publisher.url("/status/410"),
    ]);
    await reader.dialog().getByText("Addresses tried").click();
    // First what the page named, then a few paths where publishing programs put their feeds.
    const tried = await reader.dialog().locator("details li").allTextContents();
    assert.deepEqual(tried.slice(0, 3), [
      app.publisher.url("/pages/dangling.html"),
      app.publisher.url("/status/404"),
      app.publisher.url("/status/410"),
    ]);
    assert.ok(tried.length > 3 && tried.length < 16, `${tried.length} addresses were tried`);
    for (const url of tried.slice(3)) {
      assert.ok(url.startsWith(app.publisher.url("/")), url);
    }
  });
});

test("OPML is imported through the file button: the good entries come, the bad ones are named", async () => {
  const as = await app.user("opml");
  await app.visit({ as }, async (reader) => {
    await reader.open("/all");
    await reader.choose("Manage", "Import OPML");
    const choosing = reader.page.waitForEvent("filechooser");
    await reader.dialog().getByRole("button", { name: "Choose a file…" }).click();
    await (await choosing).setFiles({
      name: "subscriptions.opml",
      mimeType: "text/x-opml",
      buffer: Buffer.from(`<?xml version="1.0"?><opml version="2.0"><body>
        <outline text="Sounds"><outline text="Spoken" type="rss" xmlUrl="${app.publisher.url("/feeds/podcast.xml")}"/></outline>
        <outline text="Plain" type="rss" xmlUrl="${app.publisher.url("/feeds/plain.xml")}"/>
        <outline text="By file" type="rss" xmlUrl="file:///etc/hosts"/>
        <outline text="Elsewhere" type="include" url="https://example.org/more.opml"/>
      </body></opml>`),
    });
    const dialog = reader.dialog();
    await dialog.getByText("2 feeds were added.").waitFor();
    await dialog.getByText("2 could not be added.").waitFor();
    const refused = dialog.locator("li", { hasText: "By file" });
    await refused.getByText(serverText("en", "bad_address", "entry").message).waitFor();
    await dialog
      .locator("li", { hasText: "Elsewhere" })
      .getByText(serverText("en", "include", "entry").message)
      .waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await eventuallyEquals("the dialog", () => dialog.count(), 0);
    // The crawler fetches them behind the scenes; the page asks again until they are there.
    await eventuallyEquals("the side bar's counts", () => reader.sideCount("Plain"), 5);
    await eventuallyEquals("the side bar's counts", () => reader.sideCount("Spoken"), 2);
    await reader.page.locator(".side .folder", { hasText: "Sounds" }).waitFor();

    await reader.page.getByRole("button", { name: "Manage", exact: true }).click();
    const { name, content } = await reader.download(() =>
      reader.page.getByRole("menuitem", { name: "Export OPML" }).click(),
    );
    assert.match(name, /\.opml$/);
    const opml = content.toString();
    for (const path of ["/feeds/podcast.xml", "/feeds/plain.xml"]) {
      assert.ok(opml.includes(`xmlUrl="${app.publisher.url(path)}"`), `${path} in ${opml}`);
    }
    assert.ok(opml.includes("Sounds"));
  });
});

for (const { width, height } of [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]) {
  test(`what is found looks well, ${width} wide`, async () => {
    const as = await app.user(`looks-${width}`);
    await app.visit({ as, width, height }, async (reader) => {
      reader.watch.expectStatus(422);
      await reader.open(`/add?url=${encodeURIComponent(app.publisher.url("/pages/several.html"))}`);
      await reader.dialog().locator("input[type=radio]:checked").waitFor();
      await reader.dialog().locator("select").first().waitFor();
      await assertPresentableInEach(reader, "add-found", width);
      await assertPresentableInEach(reader, "add-refused", width, async () => {
        // Again in each language: the reason comes from the server.
        await enter(reader, app.publisher.url("/pages/dangling.html"));
        await reader.dialog().getByRole("alert").waitFor();
      });
    });
  });
}
