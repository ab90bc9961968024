import type { Api, Item } from "./api.ts";
import { dress } from "./dress.ts";
import { eventually, settles } from "./eventually.ts";
import type { Reader } from "./reader.ts";
import { withWeek } from "./week.ts";
import type { World } from "./world.ts";

/** A screen in one of its states. It is opened in English, and stays as it is while it is looked at. */
export interface Screen {
  name: string;
  open(reader: Reader): Promise<void>;
  /** Takes away what it changed outside the page. */
  close?(reader: Reader): Promise<void>;
}

/** What the screens of the owner show. */
export interface Home {
  english: Item;
  japanese: Item;
  rich: Item;
  broken: string;
  plain: string;
}

/** The samples, feeds that fail, a folder, a label, stars and rules. */
export async function furnish(world: World, api: Api): Promise<Home> {
  await eventually(
    "the samples",
    () => api.feeds(),
    ({ feeds }) => feeds.length === 6 && feeds.every((feed) => feed.itemCount > 0),
  );
  const rich = await api.addFeed(world.publisher.url("/feeds/rich.xml"), "Tests");
  const plain = await api.addFeed(world.publisher.url("/feeds/plain.xml"), "Tests");
  await api.importOpml([world.publisher.url("/status/404"), world.publisher.url("/status/503")]);
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
  json: { code: "storage_unavailable", message: "", category: "system", action: "" },
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
export function readerScreens(world: World, home: Home, isPhone: boolean): Screen[] {
  const at = (path: string) => world.publisher.url(path);
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
    path("cards", "/all?v=card"),
    path("magazine", "/all?v=magazine"),
    path("starred", "/starred"),
    path("nothing-starred", `/feed/${home.plain}?f=starred`),
    path("feed-stopped", `/feed/${home.broken}`),
    { name: "article", open: (reader) => article(reader, home.english) },
    { name: "article-japanese", open: (reader) => article(reader, home.japanese) },
    { name: "article-pictures", open: (reader) => article(reader, home.rich) },
    {
      name: "article-gone",
      async open(reader) {
        await reader.page.goto(`${reader.base}/feed/${home.plain}/i/9999999999`);
        await reader.page.getByText("This item is no longer here").waitFor();
      },
    },
    {
      name: "article-refused",
      async open(reader) {
        await reader.page.route(`**/api/items/${home.english.id}?*`, (r) => r.fulfill(refusal));
        await reader.page.route(`**/api/items/${home.english.id}`, (r) => r.fulfill(refusal));
        await reader.page.goto(`${reader.base}/feed/${home.english.feedId}/i/${home.english.id}`);
        await reader.page
          .locator(".article-pane")
          .getByText("The storage does not answer at the moment.")
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
          .getByText("The storage does not answer at the moment.")
          .waitFor();
      },
      close: calm,
    },
    menu("list-menu", "More for this list", (reader) => reader.open(`/feed/${home.plain}`)),
    menu("article-type", "Type", (reader) => article(reader, home.english)),
    menu("article-menu", "More for this item", (reader) => article(reader, home.english)),
    {
      name: "labels",
      async open(reader) {
        await article(reader, home.japanese);
        await reader.choose("More for this item", "Labels…");
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
        await dress(reader, { scheme: "light", locale: "ja" });
        await dress(reader, { scheme: "light", locale: "en" });
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
  "tokens",
];
const ownersSections = ["webhooks", "people", "about"];

/** What is beside the reader: subscriptions, rules, settings, figures. */
export function otherScreens(home: Home): Screen[] {
  const page = (name: string, to: string, sign: string): Screen => ({
    name,
    async open(reader) {
      await reader.page.goto(reader.base + to);
      await reader.page.locator(sign).first().waitFor();
      await settles("what loads", () => reader.page.locator(".skeleton").count(), 0);
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
    page("subscription", `/subscriptions/${home.plain}`, ".table-box tbody tr"),
    page("subscription-stopped", `/subscriptions/${home.broken}`, ".table-box tbody tr"),
    page("rules", "/rules", ".hidden-list li"),
    {
      name: "rule",
      async open(reader) {
        await page("", "/rules", ".rule-list .name").open(reader);
        await reader.page.locator(".rule-list .name").nth(1).click();
        await reader.page.getByRole("button", { name: "Try it" }).click();
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
    page("welcome", "/welcome", ".packs"),
    {
      name: "stats",
      async open(reader) {
        await withWeek(reader.page);
        await page("", "/stats", ".stats .meter").open(reader);
      },
      close: calm,
    },
    {
      name: "stats-month",
      async open(reader) {
        await withWeek(reader.page);
        await page("", "/stats", ".stats .meter").open(reader);
        await reader.page.getByText("Show as a table").first().click();
        await reader.page.getByText("Prices used").click();
        await reader.page.getByRole("button", { name: "30 days" }).click();
        const bars = reader.page.locator(".bars").last().locator(".bar");
        await settles("the days", () => bars.count(), 30);
      },
      close: calm,
    },
    {
      name: "stats-empty",
      async open(reader) {
        await withWeek(reader.page, { isEmpty: true });
        await page("", "/stats", ".stats .meter").open(reader);
        await reader.page.getByText("The crawler has not run yet.").waitFor();
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
