// Every state of the table of errors (UI.md, 2.5): what the person reads, and what is offered, in both languages. What a
// refused address says is in adding.test.ts, what an ended session keeps in state.test.ts, how a limit is waited for in
// errors.test.ts.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Route } from "playwright-core";
import { assertAccessible } from "./harness/axe.ts";
import { eventually, settles } from "./harness/eventually.ts";
import { artifacts } from "./harness/places.ts";
import type { Reader } from "./harness/reader.ts";
import { type Locale, say } from "./harness/words.ts";
import { openWorld, type World } from "./harness/world.ts";

let world: World;

before(async () => {
  world = await openWorld();
  await mkdir(artifacts, { recursive: true });
});
after(() => world?.close());

const byItself = "It is tried again by itself.";
const checkUrl = "Check the address, or look for the feed on the site.";
const inBrowser = "Open the address in a browser, then resume or unsubscribe.";

interface Refusal {
  status: number;
  code: string;
  category: string;
  /** What the page says; in words of the server's where it has none of its own. */
  says: string;
  also: readonly string[];
  retryAfter?: number;
}

/** Of a list, in their order: each comes when the one before is tried again. Status 0 never reaches the server. */
const ofLists: readonly Refusal[] = [
  {
    status: 403,
    code: "owner_only",
    category: "auth",
    says: "Only the owner of this reader may do this.",
    also: ["Sign in as the owner."],
  },
  {
    status: 404,
    code: "feed_not_found",
    category: "validation",
    says: "You are not subscribed to this feed.",
    also: ["Choose another one."],
  },
  {
    status: 409,
    code: "subscription_limit",
    category: "validation",
    says: "You have as many subscriptions as your account allows.",
    also: ["Unsubscribe from a feed to make room.", "Open the subscriptions"],
  },
  {
    status: 409,
    code: "feed_stopped",
    category: "feed",
    says: "This feed is stopped.",
    also: ["Resume it first."],
  },
  { status: 422, code: "no_such_code", category: "validation", says: "server", also: [] },
  {
    status: 500,
    code: "internal",
    category: "system",
    says: "This is a fault of ours.",
    also: ["Copy the code", "Details"],
  },
  {
    status: 500,
    code: "storage_unavailable",
    category: "system",
    says: "The storage does not answer at the moment.",
    also: ["Copy the code"],
  },
  {
    status: 0,
    code: "",
    category: "",
    says: "The reader cannot be reached. Nothing was changed.",
    also: ["Check the connection and try again."],
  },
];

const serverSays = { en: "The server has a sentence.", ja: "サーバーの言葉です。" };

/** Of a feed: its code, its group, whether it is stopped, what is said, what is advised. */
const ofFeeds: readonly [string, string, "error" | "stopped", string, string][] = [
  [
    "dns_failure",
    "network",
    "error",
    "There is no site of this name.",
    "Check the spelling of the address.",
  ],
  ["connection_refused", "network", "error", "The site refused the connection.", byItself],
  ["timeout", "network", "error", "The site did not answer in time.", byItself],
  ["tls_failure", "network", "error", "There is a problem with the site's certificate.", byItself],
  [
    "http_401",
    "http",
    "error",
    "The site wants a name and a password for this feed (401).",
    "Use an address with a personal key, if you have one.",
  ],
  [
    "http_403",
    "http",
    "error",
    "The site refused access (403).",
    "Open the address in a browser; if it works there, try to resume the feed.",
  ],
  [
    "http_404",
    "http",
    "error",
    "The feed is gone from this address (404).",
    "Look for the new address on the site.",
  ],
  [
    "http_410",
    "http",
    "stopped",
    "The publisher has removed this feed for good (410).",
    "Unsubscribe; what you starred is kept.",
  ],
  [
    "http_429",
    "http",
    "error",
    "The site asks to be visited less often (429).",
    "Nothing to do: the next visit waits as long as the site asked.",
  ],
  ["http_5xx", "http", "error", "The site has trouble of its own.", byItself],
  ["redirect_loop", "http", "error", "The address leads round in a circle.", checkUrl],
  ["bad_xml", "parse", "error", "The form of the feed is broken (XML).", byItself],
  ["not_a_feed", "parse", "error", "What is at this address is not a feed.", checkUrl],
  ["too_large", "policy", "error", "The feed is larger than 5 MB.", ""],
  [
    "blocked_address",
    "policy",
    "error",
    "This reader does not go to that address (private network).",
    "Use a public address.",
  ],
  [
    "stopped_parse",
    "parse",
    "stopped",
    "Ten times in a row this could not be read as a feed.",
    inBrowser,
  ],
  [
    "stopped_errors",
    "network",
    "stopped",
    "For more than a week this feed could not be fetched.",
    inBrowser,
  ],
];

const original = "Open the original";

/** Of an item's text. */
const ofTexts: readonly { state: string; says: string; also: string }[] = [
  {
    state: "summary",
    says: "This item came without a text. Read it at the original.",
    also: original,
  },
  {
    state: "notKept",
    says: "The text of this item is no longer kept here. The original may still have it.",
    also: original,
  },
  { state: "failed", says: "The text could not be read out of the feed.", also: "Try again" },
  {
    state: "item_not_found",
    says: "This item is no longer kept, or never existed.",
    also: "Go back to the list.",
  },
];

const entity = `<!DOCTYPE opml [<!ENTITY a "b">]>`;
const many = (n: number, text: string) => text.repeat(n);

/** Of a file that is to be imported. */
const ofFiles: readonly { file: string; says: string; also: string }[] = [
  {
    file: "<html></html>",
    says: "This file is not OPML.",
    also: "Export the subscriptions as OPML in your other reader, and choose that file.",
  },
  { file: "", says: "This file is empty.", also: "Choose another file." },
  {
    file: "<opml><body><outline",
    says: "This file is broken: its XML ends or breaks off in the middle.",
    also: "Export it once more.",
  },
  {
    file: `${entity}<opml version="2.0"><body><outline text="&a;" xmlUrl="http://x.invalid/"/></body></opml>`,
    says: "This file contains definitions that a list of subscriptions must not have.",
    also: "",
  },
  {
    file: `<opml version="2.0"><body>${many(120, '<outline text="a">')}${many(120, "</outline>")}</body></opml>`,
    says: "The folders of this file are nested too deep.",
    also: "",
  },
];

const badEntries = `<opml version="2.0"><body>
  <outline text="A" type="rss" xmlUrl=""/>
  <outline text="B" type="rss" xmlUrl="file:///etc/hosts"/>
  <outline text="C" type="include" url="https://example.org/more.opml"/>
</body></opml>`;

/** Client-side, as a link of the page does: nothing is loaded anew. */
function goTo(reader: Reader, path: string): Promise<void> {
  return reader.page.evaluate((to) => history.pushState(null, "", to), path);
}

async function listsSay(reader: Reader, locale: Locale): Promise<void> {
  const { page, watch } = reader;
  watch.expectStatus(...ofLists.map(({ status }) => status));
  watch.expect(/ERR_FAILED|Failed to fetch/);
  let now: Refusal | undefined = ofLists[0];
  const lists = /\/api\/items\?/;
  await page.route(lists, (route: Route) => {
    if (!now) return route.continue();
    const { status, code, category, retryAfter } = now;
    if (status === 0) return route.abort();
    return route.fulfill({
      status,
      headers: {
        "X-Request-Id": `req-${status}`,
        ...(retryAfter ? { "Retry-After": String(retryAfter) } : {}),
      },
      json: { code, category, message: serverSays[locale], action: "" },
    });
  });
  await page.goto(`${reader.base}/all`);
  const note = page.locator(".list-pane .note");
  const again = note.getByRole("button", { name: say(locale, "Try again") });
  for (const refusal of ofLists) {
    now = refusal;
    if (refusal !== ofLists[0]) await again.click();
    const says = refusal.says === "server" ? serverSays[locale] : say(locale, refusal.says);
    await note.locator("strong", { hasText: says }).waitFor();
    for (const text of refusal.also) {
      // What counts down is another number each second.
      const [words = ""] = say(locale, text, { left: "\n" }).split("\n");
      await note.getByText(words).first().waitFor();
    }
  }
  now = undefined;
  await again.click();
  await settles("the rows", async () => (await reader.titles()).length, 5);
  await page.unrouteAll({ behavior: "wait" });
}

async function feedsSay(reader: Reader, locale: Locale): Promise<void> {
  const { page } = reader;
  const [known] = (await reader.api.feeds()).feeds;
  const side = /\/api\/(me|feeds)$/;
  await page.route(side, async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    const [feed] = body.feeds;
    body.feeds = ofFeeds.map(([code, category, status], at) => ({
      ...feed,
      // One of them has items to be read.
      id: code === "http_410" ? feed.id : String(9_000 + at),
      title: code,
      customTitle: null,
      status,
      isActive: status === "error",
      error: { code, category, message: "", action: "", since: feed.lastCheckedAt },
    }));
    await route.fulfill({ response, json: body });
  });
  await page.goto(`${reader.base}/subscriptions`);
  const rows = page.locator(".trouble-row");
  await settles("the rows", () => rows.count(), ofFeeds.length);
  for (const [code, , status, says, advice] of ofFeeds) {
    const row = rows.filter({ has: page.getByRole("link", { name: code, exact: true }) });
    const sentences = [says, advice].map((one) => one && say(locale, one));
    await eventually(
      `what is said of ${code}`,
      () => row.textContent(),
      (text) => sentences.every((one) => text?.includes(one)),
    );
    const remedies = [
      "Find again",
      "Change the address…",
      status === "stopped" ? "Resume" : "Fetch now",
      "Unsubscribe",
    ];
    for (const name of remedies) {
      const button = row.getByRole("button", { name: `${say(locale, name)}: ${code}` });
      await settles(`${name} of ${code}`, () => button.count(), 1);
    }
  }
  await assertAccessible(page, `feeds that fail, ${locale}`);
  await page.screenshot({ path: join(artifacts, `error-feeds-${locale}.png`) });
  // And where the feed is read.
  await goTo(reader, `/feed/${known?.id}`);
  const fault = page.locator(".feed-fault");
  for (const text of [
    "This feed is no longer fetched.",
    "The publisher has removed this feed for good (410).",
    "Unsubscribe; what you starred is kept.",
  ]) {
    await fault.getByText(say(locale, text)).waitFor();
  }
  await fault.getByRole("button", { name: say(locale, "Resume") }).waitFor();
  await page.unrouteAll({ behavior: "wait" });
}

async function textsSay(reader: Reader, locale: Locale): Promise<void> {
  const { page } = reader;
  const items = await reader.api.items();
  reader.watch.expectStatus(404);
  await page.route(/\/api\/items\/\d+$/, async (route) => {
    const id = route.request().url().split("/").pop();
    const { state } = ofTexts[items.findIndex((one) => one.id === id)] ?? { state: "full" };
    if (state === "item_not_found") {
      return route.fulfill({
        status: 404,
        json: { code: state, category: "validation", message: "", action: "" },
      });
    }
    const response = await route.fetch();
    const { item } = await response.json();
    const changed = state === "full" ? {} : { contentHtml: "", snippet: "", contentState: state };
    return route.fulfill({ response, json: { item: { ...item, ...changed } } });
  });
  await reader.open("/all");
  for (const [at, { state, says, also }] of ofTexts.entries()) {
    await goTo(reader, `/all/i/${items[at]?.id}`);
    const pane = page.locator(".article-pane");
    await pane.getByText(say(locale, says)).waitFor();
    await pane.getByText(say(locale, also)).first().waitFor();
    await page.screenshot({ path: join(artifacts, `error-text-${state}-${locale}.png`) });
  }
  await page.unrouteAll({ behavior: "wait" });
}

async function filesSay(reader: Reader, locale: Locale): Promise<void> {
  reader.watch.expectStatus(400, 413, 422);
  await reader.open("/all");
  await reader.page.locator("nav.side").waitFor({ state: "attached" });
  await goTo(reader, "/settings/data");
  await reader.page.getByRole("button", { name: say(locale, "Import OPML") }).click();
  const dialog = reader.dialog();
  const choose = (text: string) =>
    dialog.locator("input[type=file]").setInputFiles({
      name: "a.opml",
      mimeType: "text/xml",
      buffer: Buffer.from(text),
    });
  for (const { file, says, also } of ofFiles) {
    await choose(file);
    const note = dialog.locator(".note", { hasText: say(locale, says) });
    await note.waitFor();
    if (also) await note.getByText(say(locale, also)).waitFor();
  }
  await choose(badEntries);
  for (const [name, says] of [
    ["A", "This entry has no address of a feed."],
    ["B", "This is not an address of the web (http or https)."],
    ["C", "This entry stands for another list, which is not fetched."],
  ] as const) {
    await dialog
      .locator("li", { has: reader.page.getByText(name, { exact: true }) })
      .getByText(say(locale, says))
      .waitFor();
  }
  await dialog.getByRole("button", { name: say(locale, "Save the failed as OPML") }).waitFor();
}

for (const [locale, width, scheme] of [
  ["en", 1440, "dark"],
  ["ja", 390, "light"],
] as const) {
  test(`every refusal has its sentence and what helps (${locale}, ${width})`, async (t) => {
    const as = await world.user(`refusals-${locale}@example.org`);
    await world.visit({ as, locale, width, scheme }, async (reader) => {
      await reader.api.addFeed(world.publisher.url("/feeds/plain.xml"));
      await t.test("of lists", () => listsSay(reader, locale));
      await t.test("of feeds", () => feedsSay(reader, locale));
      await t.test("of texts", () => textsSay(reader, locale));
      await t.test("of files", () => filesSay(reader, locale));
    });
  });
}
