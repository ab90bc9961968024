// How feeds come in: by address, by a site's page, by OPML; and what is said when they do not.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { eventually, settles } from "./harness/eventually.ts";
import { looksWell } from "./harness/look.ts";
import type { Reader } from "./harness/reader.ts";
import { type Locale, say } from "./harness/words.ts";
import { openWorld, type World } from "./harness/world.ts";

let world: World;

before(async () => {
  world = await openWorld();
});
after(() => world?.close());

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

test("an empty reader says what to do", async () => {
  const as = await world.user("empty@example.org");
  for (const locale of ["en", "ja"] as const) {
    await world.visit({ as, locale }, async (reader) => {
      await reader.open("/all");
      await reader.page.getByText(say(locale, "Welcome to Ruri Reader")).waitFor();
      await reader.page
        .locator(".list-pane")
        .getByRole("button", { name: say(locale, "Add a feed"), exact: true })
        .click();
      await reader.dialog().waitFor();
      assert.equal(await reader.focus().then((seen) => seen.startsWith("body")), false);
      await reader.page.keyboard.press("Escape");
      await settles("the dialog", () => reader.dialog().count(), 0);
    });
  }
});

test("a feed is added by its address", async () => {
  const as = await world.user("direct@example.org");
  await world.visit({ as }, async (reader) => {
    await reader.open("/all");
    await enter(reader, world.publisher.url("/feeds/plain.xml"));
    const offer = reader.dialog().locator("label", { hasText: "Plain Notes" });
    await offer.getByText("RSS", { exact: true }).waitFor();
    await offer.getByText("English", { exact: true }).waitFor();
    await reader
      .dialog()
      .getByRole("list", { name: "Newest items" })
      .getByText("A walk at noon")
      .waitFor();
    await subscribe(reader);
    await reader.toast("Subscribed to Plain Notes.").waitFor();
    await settles("the dialog", () => reader.dialog().count(), 0);
    const feed = await reader.api.feed("Plain Notes");
    await settles("the address", () => reader.path(), `/feed/${feed.id}`);
    await settles("the count", () => reader.sideCount("Plain Notes"), 5);
    await settles("the rows", async () => (await reader.titles()).length, 5);
    await reader.openRow("A walk at noon");
    assert.notEqual(await reader.focus(), "body");

    await reader.open("/all");
    await enter(reader, world.publisher.url("/feeds/plain.xml"));
    await reader.dialog().getByText("Subscribed", { exact: true }).waitFor();
    await reader.dialog().getByRole("button", { name: "Open the feed" }).click();
    await settles("the address", () => reader.path(), `/feed/${feed.id}`);
    assert.equal((await reader.api.feeds()).feeds.length, 1);

    // A deed like any other: it can be taken back.
    await enter(reader, world.publisher.url("/feeds/nihongo.atom"));
    await subscribe(reader);
    await reader.toast("Subscribed to 雨の日の覚え書き.").waitFor();
    await reader.page.keyboard.press("z");
    await eventually(
      "the feeds",
      async () => (await reader.api.feeds()).feeds.length,
      (n) => n === 1,
    );
    await settles("the address", () => reader.path(), "/all");
  });
});

test("a feed is found by the page of its site, and put into a new folder", async () => {
  const as = await world.user("site@example.org");
  await world.visit({ as }, async (reader) => {
    await reader.open("/all");
    await enter(reader, world.publisher.url("/pages/site.html"));
    await reader.dialog().getByLabel("Folder", { exact: true }).selectOption("New folder…");
    await reader.dialog().getByLabel("Name of the new folder").fill("日記");
    await reader.dialog().getByLabel("Interval").selectOption("every 3 hours");
    await subscribe(reader);
    await reader.toast("Subscribed to 雨の日の覚え書き.").waitFor();
    const feed = await reader.api.feed("雨の日の覚え書き");
    assert.equal(feed.url, world.publisher.url("/feeds/nihongo.atom"));
    assert.equal(feed.folder, "日記");
    assert.equal((feed as unknown as { ownIntervalMinutes: number }).ownIntervalMinutes, 180);
    await reader.page.locator(".side .folder", { hasText: "日記" }).waitFor();
    await reader.openRow("三十五年目の万年筆");
    assert.equal(await reader.page.locator(".prose").getAttribute("lang"), "ja");
  });
});

test("of several feeds one is chosen, with keys alone, into a folder that is there", async () => {
  const as = await world.user("several@example.org");
  await world.visit({ as, locale: "ja" }, async (reader) => {
    await reader.api.send("POST", "/api/folders", { name: "Audio" });
    await reader.open("/all");
    await reader.press("a");
    await reader.dialog().waitFor();
    await reader.page.keyboard.insertText(world.publisher.url("/pages/several.html"));
    await reader.press("Enter");
    await reader.dialog().getByText("3件のフィードが見つかりました").waitFor();
    await reader.press("Tab");
    await reader.press("ArrowDown");
    await reader.press("ArrowDown");
    const chosen = reader.dialog().locator("input[type=radio]:checked");
    assert.equal(await chosen.inputValue(), world.publisher.url("/feeds/podcast.xml"));
    await reader.press("Tab");
    await reader.press("A");
    // From a list of choices Enter opens it; the deed is a few steps on.
    const deed = reader.dialog().locator("button[type=submit]:focus");
    for (let i = 0; i < 5 && (await deed.count()) === 0; i += 1) await reader.press("Tab");
    await reader.press("Enter");
    await reader.page.getByText(/を購読しました/).waitFor();
    const [feed] = (await reader.api.feeds()).feeds;
    assert.equal(feed?.url, world.publisher.url("/feeds/podcast.xml"));
    assert.equal(feed?.folder, "Audio");
  });
});

test("what is pasted is looked at at once, and so is what another app shares", async () => {
  const as = await world.user("paste@example.org");
  await world.visit({ as }, async (reader) => {
    const url = world.publisher.url("/feeds/plain.xml");
    await reader.open("/all");
    await reader.press("a");
    await reader
      .dialog()
      .locator("input[type=url]")
      .evaluate((field, text) => {
        const data = new DataTransfer();
        data.setData("text", `A site: ${text}`);
        field.dispatchEvent(
          new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
        );
      }, url);
    await reader.dialog().locator("label", { hasText: "Plain Notes" }).waitFor();
    await reader.press("Escape");

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
    await reader.toast("Subscribed to Plain Notes.").waitFor();
    await settles("the address", () => reader.path().slice(0, 6), "/feed/");
  });
});

test("while a slow site is asked, the dialog says so", async () => {
  const as = await world.user("slow@example.org");
  await world.visit({ as }, async (reader) => {
    await reader.open("/all");
    const url = world.publisher.url("/slow/snail.xml");
    await enter(reader, url);
    await reader.dialog().getByText(`Looking for a feed at ${url}`).waitFor();
    await eventually(
      "held requests",
      () => world.publisher.held("snail"),
      (n) => n === 1,
    );
    await world.publisher.release("snail");
    await reader.dialog().locator("label", { hasText: "Growing snail" }).waitFor();
    await subscribe(reader);
    await reader.toast("Subscribed to Growing snail.").waitFor();
  });
});

const refusals: readonly { what: string; address: () => string; says: string; status: number }[] = [
  {
    what: "not an address",
    address: () => "http://",
    says: "This is not an address of the web (http or https).",
    status: 400,
  },
  {
    what: "a page without a feed",
    address: () => world.publisher.url("/pages/bare.html"),
    says: "No feed was found there.",
    status: 422,
  },
  {
    what: "a name that does not exist",
    address: () => "http://no-such-site.invalid/feed",
    says: "There is no site of this name.",
    status: 422,
  },
  {
    what: "404",
    address: () => world.publisher.url("/status/404"),
    says: "The feed is gone from this address (404).",
    status: 422,
  },
  {
    what: "410",
    address: () => world.publisher.url("/status/410"),
    says: "The publisher has removed this feed for good (410).",
    status: 422,
  },
  {
    what: "500",
    address: () => world.publisher.url("/status/500"),
    says: "The site has trouble of its own.",
    status: 422,
  },
  {
    what: "an address inside a private network",
    address: () => "http://192.168.7.7/feed",
    says: "This reader does not go to that address (private network).",
    status: 422,
  },
];

for (const locale of ["en", "ja"] as const satisfies readonly Locale[]) {
  test(`each refusal of an address has its sentence (${locale})`, async (t) => {
    const as = await world.user(`refused-${locale}@example.org`);
    await world.visit({ as, locale }, async (reader) => {
      await reader.open("/all");
      await enter(reader, "   ");
      await reader.dialog().getByText(say(locale, "Enter an address.")).waitFor();
      for (const { what, address, says, status } of refusals) {
        await t.test(what, async () => {
          reader.watch.expectStatus(status);
          await enter(reader, address());
          await reader.dialog().getByRole("alert").getByText(say(locale, says)).waitFor();
          assert.equal(await reader.focus(), "input.", "the field has the focus again");
        });
      }
      assert.deepEqual((await reader.api.feeds()).feeds, []);
    });
  });
}

test("a page whose feeds are gone names them, to choose from", async () => {
  const as = await world.user("dangling@example.org");
  await world.visit({ as }, async (reader) => {
    reader.watch.expectStatus(422);
    await reader.open("/all");
    await enter(reader, world.publisher.url("/pages/dangling.html"));
    await reader.dialog().getByText("These feeds were named there").waitFor();
    const names = await reader.dialog().locator("fieldset li .block.truncate").allTextContents();
    assert.deepEqual(names, [
      "Old news",
      world.publisher.url("/status/404"),
      "Older news",
      world.publisher.url("/status/410"),
    ]);
    await reader.dialog().getByText("What was tried").click();
    // First what the page named, then a few paths where publishing programs put their feeds.
    const tried = await reader.dialog().locator("details li").allTextContents();
    assert.deepEqual(tried.slice(0, 3), [
      world.publisher.url("/pages/dangling.html"),
      world.publisher.url("/status/404"),
      world.publisher.url("/status/410"),
    ]);
    assert.ok(tried.length > 3 && tried.length < 16, `${tried.length} addresses were tried`);
    for (const url of tried.slice(3)) {
      assert.ok(url.startsWith(world.publisher.url("/")), url);
    }
  });
});

test("OPML is imported through the file button: the good entries come, the bad ones are named", async () => {
  const as = await world.user("opml@example.org");
  await world.visit({ as }, async (reader) => {
    await reader.open("/all");
    await reader.choose("Settings", "Import OPML");
    const choosing = reader.page.waitForEvent("filechooser");
    await reader.dialog().getByRole("button", { name: "Choose a file…" }).click();
    await (await choosing).setFiles({
      name: "subscriptions.opml",
      mimeType: "text/x-opml",
      buffer: Buffer.from(`<?xml version="1.0"?><opml version="2.0"><body>
        <outline text="Sounds"><outline text="Spoken" type="rss" xmlUrl="${world.publisher.url("/feeds/podcast.xml")}"/></outline>
        <outline text="Plain" type="rss" xmlUrl="${world.publisher.url("/feeds/plain.xml")}"/>
        <outline text="By file" type="rss" xmlUrl="file:///etc/hosts"/>
        <outline text="Elsewhere" type="include" url="https://example.org/more.opml"/>
      </body></opml>`),
    });
    const dialog = reader.dialog();
    await dialog.getByText("2 feeds were added.").waitFor();
    await dialog.getByText("2 could not be added.").waitFor();
    const refused = dialog.locator("li", { hasText: "By file" });
    await refused.getByText("This is not an address of the web (http or https).").waitFor();
    await dialog
      .locator("li", { hasText: "Elsewhere" })
      .getByText("This entry stands for another list, which is not fetched.")
      .waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await settles("the dialog", () => dialog.count(), 0);
    // The crawler fetches them behind the scenes; the page asks again until they are there.
    await settles("the side bar's counts", () => reader.sideCount("Plain"), 5);
    await settles("the side bar's counts", () => reader.sideCount("Spoken"), 2);
    await reader.page.locator(".side .folder", { hasText: "Sounds" }).waitFor();

    await reader.page.getByRole("button", { name: "Settings", exact: true }).click();
    const downloading = reader.page.waitForEvent("download");
    await reader.page.getByRole("menuitem", { name: "Export OPML" }).click();
    const download = await downloading;
    assert.match(download.suggestedFilename(), /\.opml$/);
    const opml = await readFile(await download.path(), "utf8");
    for (const path of ["/feeds/podcast.xml", "/feeds/plain.xml"]) {
      assert.ok(opml.includes(`xmlUrl="${world.publisher.url(path)}"`), `${path} in ${opml}`);
    }
    assert.ok(opml.includes("Sounds"));
  });
});

// Each wide and narrow, in light and dark, in both languages once: the whole matrix is that of looks.test.ts.
const dresses = [
  { locale: "en", scheme: "light", width: 1440, height: 900 },
  { locale: "ja", scheme: "dark", width: 1440, height: 900 },
  { locale: "ja", scheme: "light", width: 390, height: 844 },
  { locale: "en", scheme: "dark", width: 390, height: 844 },
] as const;

for (const dress of dresses) {
  const { locale, scheme, width } = dress;
  test(`what is found looks well: ${locale}, ${scheme}, ${width} wide`, async () => {
    const as = await world.user(`looks-${locale}-${scheme}-${width}@example.org`);
    await world.visit({ as, ...dress }, async (reader) => {
      reader.watch.expectStatus(422);
      await reader.open(
        `/add?url=${encodeURIComponent(world.publisher.url("/pages/several.html"))}`,
      );
      await reader.dialog().locator("input[type=radio]:checked").waitFor();
      await reader.dialog().locator("select").first().waitFor();
      await looksWell(reader, "add-found", dress);
      await enter(reader, world.publisher.url("/pages/dangling.html"));
      await reader.dialog().getByRole("alert").waitFor();
      await looksWell(reader, "add-refused", dress);
    });
  });
}
