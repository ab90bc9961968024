import type { Api, Item } from "./api.ts";
import type { App } from "./app.ts";
import { applyAppearance } from "./appearance.ts";
import { serverText } from "./catalog.ts";
import { eventually, eventuallyEquals } from "./eventually.ts";
import { stubPictures } from "./pictures.ts";
import { stubPopular, stubPopularSettings } from "./popular-stub.ts";
import type { Reader } from "./reader.ts";
import { stubStats } from "./stats-stub.ts";
import { stubOffers, stubWatches } from "./watch-stub.ts";

/** A screen in one of its states. It is opened in English, and stays as it is while it is looked at. */
export interface Screen {
  name: string;
  open(reader: Reader): Promise<void>;
  /** Takes away what it changed outside the page. */
  close?(reader: Reader): Promise<void>;
}

/** What the screens of the owner show. */
export interface Scenario {
  english: Item;
  japanese: Item;
  rich: Item;
  broken: string;
  plain: string;
}

/** The samples, feeds that fail, a folder, a label, stars and rules. */
export async function prepareScenario(app: App, api: Api): Promise<Scenario> {
  await eventually(
    "the samples",
    () => api.feeds(),
    ({ feeds }) => feeds.length === 6 && feeds.every((feed) => feed.itemCount > 0),
  );
  const rich = await api.addFeed(app.publisher.url("/feeds/rich.xml"), "Tests");
  const plain = await api.addFeed(app.publisher.url("/feeds/plain.xml"), "Tests");
  await api.importOpml([app.publisher.url("/status/404"), app.publisher.url("/status/503")]);
  const { feeds } = await eventually(
    "the feeds that fail",
    () => api.feeds(),
    (seen) => seen.feeds.length === 10 && seen.feeds.every((feed) => feed.status !== "waiting"),
  );
  const english = await api.item("The Quiet Web", "A small table of feed formats");
  const japanese = await api.item("紙と画面のあいだ", "行の長さは、呼吸の長さ");
  const { id } = await api.send<{ id: string }>("POST", "/api/labels", { name: "あとで読む" });
  await api.send("PUT", `/api/items/${japanese.id}/labels`, { labels: [id] });
  await api.setState((await api.item("The Quiet Web", "How a polite reader asks")).id, {
    isRead: true,
    isStarred: true,
  });
  await api.setState((await api.item("紙と画面のあいだ", "余白という句読点")).id, {
    isRead: true,
    isStarred: true,
  });
  const { revision } = await api.get<{ revision: string }>("/api/rules");
  const rule = {
    id: "",
    isEnabled: true,
    feeds: [],
    folders: [],
    stop: false,
  };
  const rules = [
    {
      ...rule,
      name: "Tea",
      match: "all",
      conditions: [{ field: "title", mode: "regexp", isNegated: false, pattern: "(?i)kettle" }],
      actions: [{ type: "hide" }],
    },
    {
      ...rule,
      name: "",
      match: "any",
      conditions: [{ field: "title", mode: "any", isNegated: false, words: ["noon", "雨"] }],
      actions: [{ type: "star" }, { type: "label", labelId: id }],
    },
  ];
  const saved = await api.send<{ rules: { id: string }[] }>("PUT", "/api/rules", {
    revision,
    rules,
  });
  await api.send("POST", "/api/rules/apply", { ruleId: saved.rules[0]?.id });
  const [first] = await api.items(rich.id);
  if (!first) throw new Error("the rich feed is empty");
  const broken = feeds.find((feed) => feed.url.endsWith("/status/404"))?.id ?? "";
  return { english, japanese, rich: first, broken, plain: plain.id };
}

const refusal = {
  status: 503,
  json: {
    code: "storage_unavailable",
    category: "system",
    ...serverText("en", "storage_unavailable"),
  },
};
const calm = (reader: Reader) => reader.page.unrouteAll({ behavior: "wait" });

async function article(reader: Reader, item: Item): Promise<void> {
  await reader.page.goto(`${reader.base}/feed/${item.feedId}/i/${item.id}`);
  await reader.articleShows(item.title);
}

async function add(reader: Reader, url: string): Promise<void> {
  await reader.open("/starred");
  await reader.page.keyboard.press("a");
  await reader.dialog().locator("input[type=url]").fill(url);
  await reader.dialog().locator("button[type=submit]").click();
}

/** The reader itself, and what opens above it. */
export function readerScreens(app: App, scenario: Scenario, isPhone: boolean): Screen[] {
  const at = (path: string) => app.publisher.url(path);
  const menu = (name: string, label: string, open: (reader: Reader) => Promise<void>): Screen => ({
    name,
    async open(reader) {
      await open(reader);
      await reader.page.getByRole("button", { name: label, exact: true }).first().click();
      await reader.page
        .getByRole("menu")
        .or(reader.page.locator(".panel, .menu"))
        .first()
        .waitFor();
    },
  });
  const path = (name: string, to: string): Screen => ({ name, open: (reader) => reader.open(to) });
  const popular = (
    name: string,
    to: string,
    state: Parameters<typeof stubPopular>[1],
    sign: string,
  ): Screen => ({
    name,
    async open(reader) {
      await stubPopular(reader, state);
      await reader.page.goto(reader.base + to);
      await reader.page.locator(sign).first().waitFor();
    },
    close: calm,
  });
  const screens: Screen[] = [
    path("list", "/all"),
    {
      name: "palette",
      async open(reader) {
        await reader.open("/all");
        await reader.settled();
        await reader.page.keyboard.press("Control+k");
        await reader.dialog().locator("[role=option]").first().waitFor();
      },
    },
    path("search", "/search?q=the&from=2020-01-01"),
    path("search-nothing", `/search?q=nowhere&in=f${scenario.plain}&f=unread`),
    {
      name: "search-suggestions",
      async open(reader) {
        await reader.open("/search");
        const box = reader.page.locator(".search-box input").and(reader.page.locator(":visible"));
        await box.first().fill("t");
        await reader.page.locator(".search-list [role=option]").first().waitFor();
      },
    },
    path("gallery", "/all?v=gallery"),
    path("read", "/all?v=read"),
    path("starred", "/starred"),
    path("explore-off", "/my/popular/hot"),
    popular("explore-collecting", "/my/popular/hot", "collecting", ".state"),
    popular("explore-nothing", "/my/popular/hot?n=50", "empty", ".state .btn"),
    popular("explore", "/my/popular/rising", "filled", ".bookmarks"),
    popular("explore-tag", "/my/popular/new?t=Go", "filled", ".bookmarks"),
    popular("explore-tags", "/my/popular/tags", "filled", ".tag-list a"),
    path("nothing-starred", `/feed/${scenario.plain}?f=starred`),
    path("feed-stopped", `/feed/${scenario.broken}`),
    { name: "article", open: (reader) => article(reader, scenario.english) },
    { name: "article-japanese", open: (reader) => article(reader, scenario.japanese) },
    {
      name: "article-pictures",
      async open(reader) {
        await stubPictures(reader.page);
        await article(reader, scenario.rich);
      },
      close: calm,
    },
    {
      name: "article-gone",
      async open(reader) {
        await reader.page.goto(`${reader.base}/feed/${scenario.plain}/i/9999999999`);
        await reader.page.getByText("This article is no longer available").waitFor();
      },
    },
    {
      name: "article-refused",
      async open(reader) {
        await reader.page.route(`**/api/items/${scenario.english.id}?*`, (r) => r.fulfill(refusal));
        await reader.page.route(`**/api/items/${scenario.english.id}`, (r) => r.fulfill(refusal));
        await reader.page.goto(
          `${reader.base}/feed/${scenario.english.feedId}/i/${scenario.english.id}`,
        );
        await reader.page
          .locator(".article-pane")
          .getByText(serverText("en", "storage_unavailable").message)
          .waitFor();
      },
      close: calm,
    },
    {
      name: "list-refused",
      async open(reader) {
        await reader.page.route("**/api/items?*", (r) => r.fulfill(refusal));
        await reader.page.goto(`${reader.base}/all?o=old`);
        await reader.page
          .locator(".list-pane")
          .getByText(serverText("en", "storage_unavailable").message)
          .waitFor();
      },
      close: calm,
    },
    menu("list-menu", "List actions", (reader) => reader.open(`/feed/${scenario.plain}`)),
    menu("article-type", "Text settings", (reader) => article(reader, scenario.english)),
    menu("article-menu", "More actions", (reader) => article(reader, scenario.english)),
    {
      name: "labels",
      async open(reader) {
        await article(reader, scenario.japanese);
        await reader.choose("More actions", "Labels…");
        await reader.dialog().waitFor();
      },
    },
    {
      name: "add",
      async open(reader) {
        await reader.open("/starred");
        await reader.page.keyboard.press("a");
        await reader.dialog().waitFor();
      },
    },
    {
      name: "add-found",
      async open(reader) {
        await reader.open(`/add?url=${encodeURIComponent(at("/pages/several.html"))}`);
        await reader.dialog().locator("input[type=radio]:checked").waitFor();
        await reader.dialog().locator("select").first().waitFor();
      },
    },
    {
      name: "add-refused",
      async open(reader) {
        await add(reader, "http://no-such-site.invalid/");
        await reader.dialog().getByRole("alert").waitFor();
      },
    },
    {
      name: "import-report",
      async open(reader) {
        await reader.open("/starred");
        await drop(
          reader,
          `<opml version="2.0"><body>
            <outline type="rss" text="Plain" xmlUrl="${at("/feeds/plain.xml")}"/>
            <outline type="rss" text="By another way" xmlUrl="ftp://example.org/feed"/>
            <outline type="rss" text="By file" xmlUrl="file:///etc/hosts"/>
          </body></opml>`,
        );
        await reader.dialog().locator(".failures li").nth(1).waitFor();
      },
    },
    {
      name: "help",
      async open(reader) {
        await reader.open("/starred");
        await reader.page.keyboard.press("?");
        await reader.dialog().waitFor();
      },
    },
    {
      name: "offline",
      async open(reader) {
        await reader.open("/all");
        // Both languages, while there is a network; and what tells of it comes late.
        await applyAppearance(reader, { scheme: "light", locale: "ja" });
        await applyAppearance(reader, { scheme: "light", locale: "en" });
        await reader.page.waitForFunction(() =>
          performance.getEntriesByType("resource").some(({ name }) => /background-/.test(name)),
        );
        await reader.settled();
        await reader.page.context().setOffline(true);
        await reader.page.locator(".offline-bar").waitFor();
      },
      close: (reader) => reader.page.context().setOffline(false),
    },
    {
      name: "missing",
      async open(reader) {
        await reader.page.goto(`${reader.base}/nowhere/at/all`);
        await reader.page.locator("h1").waitFor();
      },
    },
  ];
  if (isPhone) {
    const feeds = async (reader: Reader) => {
      await reader.open("/all");
      await reader.settled();
      await reader.page.locator("nav.tabbar").getByRole("button", { name: "Feeds" }).tap();
      await reader.page.locator(".side-link").first().waitFor();
    };
    // They are an entry of the history: who comes to the list's address again finds them open.
    const close = async (reader: Reader) => void (await reader.page.goBack());
    screens.push(
      { name: "feeds", open: feeds, close },
      { ...menu("settings-menu", "Settings", feeds), close },
    );
  } else {
    screens.push(
      menu("settings-menu", "Settings", async (reader) => {
        await reader.open("/all");
        await reader.settled();
      }),
    );
  }
  return screens;
}

const sections = [
  "",
  "display",
  "reading",
  "keys",
  "account",
  "offline",
  "devices",
  "data",
  "apps",
  "tokens",
];
const ownersSections = ["webhooks", "people", "about"];

/** What is beside the reader: subscriptions, rules, settings, figures. */
export function otherScreens(scenario: Scenario): Screen[] {
  const page = (name: string, to: string, sign: string): Screen => ({
    name,
    async open(reader) {
      await reader.page.goto(reader.base + to);
      await reader.page.locator(sign).first().waitFor();
      await eventuallyEquals("what loads", () => reader.page.locator(".skeleton").count(), 0);
    },
  });
  return [
    page("subscriptions", "/subscriptions", ".page :is(.feeds, .cards)"),
    {
      name: "subscriptions-chosen",
      async open(reader) {
        await page("", "/subscriptions", ".page :is(.feeds, .cards)").open(reader);
        const boxes = reader.page.locator("[data-row] input[type=checkbox]");
        await boxes.nth(0).click();
        await boxes.nth(2).click();
        await reader.page.locator(".bulk").waitFor();
      },
    },
    {
      name: "subscriptions-edit",
      async open(reader) {
        await page("", "/subscriptions", ".page :is(.feeds, .cards)").open(reader);
        await reader.page.locator("[data-row] input[type=checkbox]").nth(0).click();
        await reader.page.locator(".bulk").getByRole("button", { name: "Edit…" }).click();
        await reader.dialog().waitFor();
      },
    },
    page("subscription", `/subscriptions/${scenario.plain}`, ".table-box tbody tr"),
    page("subscription-stopped", `/subscriptions/${scenario.broken}`, ".table-box tbody tr"),
    page("rules", "/rules", ".hidden-list li"),
    {
      name: "rule",
      async open(reader) {
        await page("", "/rules", ".rule-list .name").open(reader);
        await reader.page.locator(".rule-list .name").nth(1).click();
        await reader.page.getByRole("button", { name: "Preview" }).click();
        await reader.page.locator(".trial-list li").first().waitFor();
      },
    },
    ...[...sections, ...ownersSections].map((section) =>
      page(
        section === "" ? "settings" : `settings-${section}`,
        `/settings/${section}`,
        section === "" ? ".settings :is(nav, .card)" : ".settings .card",
      ),
    ),
    page("settings-popularity-off", "/settings/popularity", ".settings .card .switch"),
    {
      name: "settings-popularity",
      async open(reader) {
        await stubPopularSettings(reader.page);
        await page("", "/settings/popularity", ".settings .card .checks").open(reader);
      },
      close: calm,
    },
    {
      name: "settings-apps-steps",
      async open(reader) {
        await page("", "/settings/apps", ".settings .card").open(reader);
        await reader.page.locator("#app").selectOption("NetNewsWire");
        await reader.page.locator(".card summary").click();
        await reader.page.locator("svg.qr").waitFor();
      },
    },
    page("welcome", "/welcome", ".packs"),
    {
      name: "stats",
      async open(reader) {
        await stubStats(reader.page);
        await page("", "/settings/server", ".server .meter").open(reader);
      },
      close: calm,
    },
    {
      name: "stats-month",
      async open(reader) {
        await stubStats(reader.page);
        await page("", "/settings/server", ".server .meter").open(reader);
        await reader.page.getByText("Show as table").first().click();
        await reader.page.getByText("Prices used").click();
        await reader.page.getByRole("button", { name: "30 days" }).click();
        const bars = reader.page.locator(".bars").last().locator(".bar");
        await eventuallyEquals("the days", () => bars.count(), 30);
      },
      close: calm,
    },
    {
      name: "stats-empty",
      async open(reader) {
        await stubStats(reader.page, { isEmpty: true });
        await page("", "/settings/server", ".server .meter").open(reader);
        await reader.page.getByText("The crawler has not run yet.").waitFor();
      },
      close: calm,
    },
  ];
}

/** Watches: their list, one of them, and the editor. */
export function watchScreens(): Screen[] {
  const page = (name: string, to: string, sign: string, isEmpty = false): Screen => ({
    name,
    async open(reader) {
      await stubWatches(reader.page, { isEmpty });
      await reader.page.goto(reader.base + to);
      await reader.page.locator(sign).first().waitFor();
      await eventuallyEquals("what loads", () => reader.page.locator(".skeleton").count(), 0);
    },
    close: calm,
  });
  const editor = `/watches/new?url=${encodeURIComponent("https://camera.example.jp/search")}`;
  const then = (one: Screen, more: (reader: Reader) => Promise<void>): Screen => ({
    ...one,
    async open(reader) {
      await one.open(reader);
      await more(reader);
    },
  });
  return [
    page("watches", "/watches", ".watch-row"),
    page("watches-empty", "/watches", ".beginning", true),
    page("watch", "/watches/901", ".results tbody tr"),
    then(page("watch-result", "/watches/901", ".results tbody tr"), async (reader) => {
      await reader.page.locator(".results .title button").nth(2).click();
      await reader.page.locator(".result-detail .offer").first().waitFor();
    }),
    page("watch-nothing", "/watches/904", ".state", true),
    page("watch-trend", "/watches/901/trend", ".trend-chart"),
    then(page("watch-trend-year", "/watches/901/trend?range=1y", ".trend-chart"), (reader) =>
      reader.page.getByText("Show as table").click(),
    ),
    page("watch-address", "/watches/new", ".address-form"),
    page("watch-editor", editor, ".editor .results tbody tr"),
    then(page("watch-editor-field", editor, ".editor .results tbody tr"), async (reader) => {
      await reader.page.locator(".part").nth(4).click();
      await reader.page.locator(".parts [role=menu]").waitFor();
    }),
    then(page("watch-editor-wrong", editor, ".editor .results tbody tr"), async (reader) => {
      await reader.page.getByLabel(/^Lowest price/).fill("cheap");
      await reader.page.getByRole("button", { name: "Watch this page" }).click();
      await reader.page.locator(".site-card .wrong").waitFor();
    }),
    page("watch-editor-blocked", `${editor}%2Fblocked`, ".editor .note"),
    page("watch-missing", "/watches/901/nothing", ".state"),
    {
      name: "watch-events",
      async open(reader) {
        await stubOffers(reader.page);
        await reader.open("/all");
        await reader.page.locator(".row .row-price").first().waitFor();
      },
      close: calm,
    },
    {
      name: "watch-event",
      async open(reader) {
        await stubOffers(reader.page);
        await reader.open("/all");
        await reader.page.locator(".row .title a").first().click();
        await reader.page.locator(".offer-lead .row-price").waitFor();
      },
      close: calm,
    },
  ];
}

/** What a person without feeds, and one without a session, see. */
export const emptyScreens: readonly Screen[] = [
  { name: "no-feeds", open: (reader) => reader.open("/all") },
  {
    name: "no-subscriptions",
    async open(reader) {
      await reader.page.goto(`${reader.base}/subscriptions`);
      await reader.page.locator(".page .state").first().waitFor();
    },
  },
  {
    name: "no-rules",
    async open(reader) {
      await reader.page.goto(`${reader.base}/rules`);
      await reader.page.locator(".page :is(.state, .card)").first().waitFor();
    },
  },
];

export const signInScreens: readonly Screen[] = [
  { name: "login", open: (reader) => signIn(reader, "/login") },
  { name: "login-link-used", open: (reader) => signIn(reader, "/login?e=link") },
  {
    name: "login-refused",
    async open(reader) {
      await signIn(reader, "/login");
      await reader.page.locator("#email").fill("nobody@example.org");
      await reader.page.locator("#password").fill("not the password");
      await reader.page.locator("button[type=submit]").click();
      await reader.page.getByRole("alert").waitFor();
    },
  },
  { name: "signup", open: (reader) => signIn(reader, "/signup") },
];

async function signIn(reader: Reader, path: string): Promise<void> {
  await reader.page.goto(reader.base + path);
  await reader.page.locator("#email").waitFor();
}

/** Drops a file anywhere on the page, as from a folder's window. */
async function drop(reader: Reader, text: string): Promise<void> {
  await reader.page.evaluate((opml) => {
    const data = new DataTransfer();
    data.items.add(new File([opml], "list.opml", { type: "text/x-opml" }));
    for (const kind of ["dragover", "drop"]) {
      document.body.dispatchEvent(
        new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }),
      );
    }
  }, text);
}
