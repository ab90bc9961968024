import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { flags } from "@/data/flags";
import { closeOutbox } from "@/data/item-state";
import { forgetSearches } from "@/data/recent-searches";
import { keepScrollPosition, saveScrollPositions } from "@/data/scroll-positions";
import { defaults } from "@/data/settings";
import type { ItemSummary, SavedSearch } from "@/data/types";
import { navigate } from "@/data/use-route";
import { openApp } from "@/testing/app";
import { aBeginning, aFeed, aFullItem, anItem } from "@/testing/fixtures";
import { problem } from "@/testing/server";

const feed = aFeed({ id: "1", title: "Plain Notes", unreadCount: 2, hasUnread: true });
const folder = { id: "3", parentId: null, name: "技術", position: 0 };
const asOf = "position";

function found(id: string, title: string, over: Partial<ItemSummary> = {}): ItemSummary {
  return anItem({
    id,
    title,
    feedId: feed.id,
    snippet: "満開の桜です",
    highlight: { title: [title], text: ["満開の", "桜", "です"] },
    ...over,
  });
}

function aPage(items: ItemSummary[], over: object = {}) {
  const total = { items: items.length, feeds: Math.min(items.length, 1), isAtLeast: false };
  return { body: { items, nextCursor: null, asOf, state: "ready", reached: null, total, ...over } };
}

function aSaved(over: Partial<SavedSearch> = {}): SavedSearch {
  return {
    id: "7",
    name: "花",
    q: "桜",
    feed: null,
    folder: null,
    filter: "all",
    sort: "date",
    kana: "exact",
    ...over,
  };
}

interface Given {
  preferences?: Partial<typeof defaults>;
  saved?: SavedSearch[];
  search?: "off" | "titles" | "bodies";
  feeds?: (typeof feed)[];
  bookmarkCounts?: boolean;
}

function openSearch(path: string, given: Given, routes: Parameters<typeof openApp>[1]) {
  const {
    preferences,
    saved = [],
    search = "bodies",
    feeds = [feed],
    bookmarkCounts = false,
  } = given;
  const bar = { feeds, totals: { feeds: 1, unread: 2, starred: 0 }, limits: { feeds: 100 } };
  return openApp(path, {
    "GET /api/me": {
      body: {
        ...aBeginning(),
        preferences: { ...defaults, welcomed: true, ...preferences },
        tree: { folders: [folder], labels: [] },
        search,
        bookmarkCounts,
        searches: saved,
        ...bar,
      },
    },
    "GET /api/feeds": { body: bar },
    "GET /api/items": { body: { items: [], nextCursor: null, asOf: "x" } },
    ...routes,
  });
}

const searchesIn = (calls: ReturnType<typeof openApp>["calls"]) =>
  calls
    .filter(({ route }) => route === "GET /api/search")
    .map(({ search }) => Object.fromEntries(new URLSearchParams(search)));

const findBox = () => screen.findByRole("combobox", { name: "Search articles" });
const findRow = (title: string) => screen.findByText(title, { selector: ".list-pane .row a" });
const here = () => location.pathname + location.search;

beforeEach(() => {
  // What is on the screen has a place; jsdom gives it none.
  vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockReturnValue(
    new DOMRect(10, 10, 100, 20),
  );
  const wide = matchMedia;
  vi.stubGlobal("matchMedia", (query: string) => ({
    ...wide(query),
    matches: query.includes("min-width: 1200px"),
  }));
});

// They belong to the page that is open.
afterEach(async () => {
  vi.useRealTimers();
  forgetSearches();
  flags.clear();
  await closeOutbox(true);
});

it("searches when Enter is pressed, unless that is the input method's", async () => {
  const { calls } = openSearch("/all", {}, { "GET /api/search": aPage([found("101", "One")]) });
  const user = userEvent.setup();
  await screen.findByRole("link", { name: /Plain Notes/ });
  await user.keyboard("/");
  const box = await findBox();
  expect(document.activeElement).toBe(box);
  expect(within(screen.getByRole("search")).getByRole("combobox")).toBe(box);
  fireEvent.compositionStart(box);
  fireEvent.input(box, { target: { value: "桜 -茶" }, isComposing: true });
  fireEvent.keyDown(box, { key: "Enter", isComposing: true });
  fireEvent.keyDown(box, { key: "Enter", keyCode: 229 });
  await new Promise((done) => setTimeout(done, 150));
  expect(searchesIn(calls)).toEqual([]);
  await user.keyboard("{Enter}");
  await findRow("One");
  expect(here()).toBe(`/search?q=${encodeURIComponent("桜 -茶")}`);
  const tz = String(-new Date().getTimezoneOffset());
  expect(searchesIn(calls)).toEqual([{ limit: "50", q: "桜 -茶", tz }]);
  expect(await screen.findByText("1 result in 1 feed", { selector: "[role=status]" })).toBeTruthy();
  expect(document.activeElement).not.toBe(box);
});

it("shows titles at a pause in typing, keeps them until the next are there, and Enter searches texts", async () => {
  let answer: () => void = () => undefined;
  const { calls } = openSearch(
    "/search",
    {},
    {
      "GET /api/search": async ({ url }) => {
        const q = url.searchParams.get("q");
        if (q === "title:ca*") return aPage([found("101", "Cats"), found("102", "Cache")]);
        if (q === "title:cab*") return aPage([]);
        if (q === "cache") return aPage([found("102", "Cache"), found("103", "Texts")]);
        await new Promise<void>((done) => {
          answer = done;
        });
        const total = { items: 128, feeds: 41, isAtLeast: true };
        return aPage([found("102", "Cache")], { total, nextCursor: "a" });
      },
    },
  );
  const user = userEvent.setup();
  const asked = () => searchesIn(calls).map(({ q }) => q);
  await user.click(await findBox());
  await screen.findByText("Search your articles");
  await user.keyboard("c");
  await new Promise((done) => setTimeout(done, 150));
  expect(asked()).toEqual([]);
  await user.keyboard("a");
  const row = await findRow("Cache");
  const cache = row.closest(".row");
  // One request a pause, and none where the words are the same.
  expect(asked()).toEqual(["title:ca*"]);
  expect(here()).toBe("/search?q=ca&typed=1");
  await user.keyboard(" ");
  await user.keyboard("{Backspace}");
  await new Promise((done) => setTimeout(done, 150));
  expect(asked()).toHaveLength(1);
  await user.keyboard("ch");
  await waitFor(() => expect(asked()).toEqual(["title:ca*", "title:cach*"]));
  expect(await findRow("Cats")).toBeTruthy();
  answer();
  await waitFor(() => expect(screen.queryByText("Cats")).toBeNull());
  await screen.findByText("128+ results in 41+ feeds", { selector: "[role=status]" });
  // The same row, and the box still has the focus: nothing was drawn anew.
  expect((await findRow("Cache")).closest(".row")).toBe(cache);
  expect(document.activeElement).toBe(await findBox());
  await user.keyboard("e{Enter}");
  await findRow("Texts");
  expect(here()).toBe("/search?q=cache");
  expect(asked().at(-1)).toBe("cache");

  // Nothing is said of words that have no answer yet.
  const box = await findBox();
  await user.clear(box);
  await user.type(box, "cab");
  await screen.findByText("No titles with “cab”");
  await user.type(box, "s");
  await waitFor(() => expect(asked().at(-1)).toBe("title:cabs*"));
  expect(screen.queryByText("No titles with “cabs”")).toBeNull();
  expect(screen.getByText("No titles with “cab”")).toBeTruthy();
  await user.click(screen.getByText("Search everything"));
  await waitFor(() => expect(here()).toBe("/search?q=cab"));
});

it("shows matches as marks, and markup as what it is", async () => {
  const evil = '<img src=x onerror="alert(1)">';
  const text = ["前".repeat(40), evil, " <b>x</b>"];
  openSearch(
    "/search?q=x",
    {},
    {
      "GET /api/search": aPage([
        found("101", "One", { title: `On ${evil}`, highlight: { title: ["On ", evil], text } }),
      ]),
    },
  );
  await waitFor(() => expect(document.querySelector(".list-pane .row")).not.toBeNull());
  const row = document.querySelector(".list-pane .row");
  const marks = [...(row?.querySelectorAll("mark") ?? [])];
  expect(marks.map((mark) => mark.textContent)).toEqual([evil, evil]);
  expect(row?.querySelector("img, b")).toBeNull();
  // It begins shortly before the match: the lines are few.
  expect(row?.querySelector(".excerpt")?.textContent).toBe(`…${"前".repeat(24)}${evil} <b>x</b>`);
});

it("has everything in its address: reload, an open result, and back", async () => {
  const path = "/search/i/101?q=tea&in=d3&from=2026-05-03&to=2026-06-01&s=best&f=unread";
  const { calls } = openSearch(
    path,
    {},
    {
      "GET /api/search": aPage([found("101", "One"), found("102", "Two")]),
      "GET /api/items/101": { body: { item: aFullItem({ ...found("101", "One") }) } },
    },
  );
  await findRow("Two");
  expect(searchesIn(calls)).toEqual([
    {
      limit: "50",
      filter: "unread",
      q: "tea",
      folder: "3",
      from: "2026-05-03",
      to: "2026-06-01",
      sort: "best",
      tz: String(-new Date().getTimezoneOffset()),
    },
  ]);
  // The best results are in no order of days.
  expect(document.querySelector(".day")).toBeNull();
  const user = userEvent.setup();
  (await findRow("One")).closest<HTMLElement>(".row")?.focus();
  await user.keyboard("{Escape}");
  await waitFor(() =>
    expect(here()).toBe(path.replace("/i/101", "").replace("&s=best&f=unread", "&s=best&f=unread")),
  );
});

it("changes the address with its chips, and nothing else", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 10, 23, 12) });
  openSearch("/search?q=tea", {}, { "GET /api/search": aPage([found("101", "One")]) });
  await findRow("One");
  const user = userEvent.setup();
  const chip = (name: string) => screen.findByRole("button", { name });
  const press = async (name: string, address: string) => {
    await user.click(await chip(name));
    expect(here()).toBe(address);
    expect((await chip(name)).getAttribute("aria-pressed")).toBe("true");
    await findRow("One");
  };
  await press("Unread", "/search?q=tea&f=unread");
  await press("Last 30 days", "/search?q=tea&from=2026-10-24&f=unread");
  const choose = async (name: string) => {
    await user.click(await chip("Filters"));
    await user.click(await screen.findByRole("menuitemradio", { name }));
  };
  await choose("Titles only");
  expect(here()).toBe("/search?q=title%3Atea&from=2026-10-24&f=unread");
  const select = (name: string) => screen.getByRole("combobox", { name });
  expect(within(select("Sort results")).queryByText("Most bookmarked first")).toBeNull();
  await user.selectOptions(select("Search in"), "技術");
  expect(here()).toBe("/search?q=title%3Atea&in=d3&from=2026-10-24&f=unread");
  await user.selectOptions(select("Sort results"), "Best matches first");
  expect(here()).toBe("/search?q=title%3Atea&in=d3&from=2026-10-24&s=best&f=unread");
  // Pressed again they are off; the focus stays where it was.
  await choose("Titles and texts");
  await user.click(await chip("Last 30 days"));
  await user.click(await chip("Unread"));
  expect(here()).toBe("/search?q=tea&in=d3&s=best");
  expect(document.activeElement).toBe(await chip("Unread"));
});

it("sorts by bookmarks where they are counted", async () => {
  const routes = { "GET /api/search": aPage([found("101", "One")]) };
  const { calls } = openSearch("/search?q=tea", { bookmarkCounts: true }, routes);
  await findRow("One");
  const select = screen.getByRole("combobox", { name: "Sort results" });
  await userEvent.setup().selectOptions(select, "Most bookmarked first");
  expect(here()).toBe("/search?q=tea&s=popular");
  await waitFor(() => expect(searchesIn(calls).at(-1)?.sort).toBe("popular"));
  await findRow("One");
  expect(document.querySelector(".day")).toBeNull();
});

it("goes on once by itself when it got only so far back, and after that when it is asked to", async () => {
  const reached = "2026-05-03T12:00:00Z";
  const parts: Record<string, object> = {
    "": { nextCursor: "a", reached },
    a: { nextCursor: "b", reached },
    b: { nextCursor: "c", reached },
    c: { items: [found("101", "One")], nextCursor: null },
  };
  const { calls } = openSearch(
    "/search?q=tea",
    {},
    {
      "GET /api/search": ({ url }) =>
        aPage([], parts[url.searchParams.get("cursor") ?? ""] as object),
    },
  );
  const cursors = () => searchesIn(calls).map(({ cursor }) => cursor);
  await screen.findByText("Searched back to May 3, 2026");
  expect(cursors()).toEqual([undefined, "a"]);
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Continue" }));
  await waitFor(() => expect(cursors()).toEqual([undefined, "a", "b"]));
  await user.click(await screen.findByRole("button", { name: "Continue" }));
  await findRow("One");
  await screen.findByText("End of results");
});

it("stops below its results too, until it is asked to go on", async () => {
  const reached = "2026-05-03T12:00:00Z";
  const parts: Record<string, ReturnType<typeof aPage>> = {
    "": aPage([found("101", "One")], { nextCursor: "a", reached }),
    a: aPage([found("102", "Two")], { nextCursor: "b", reached }),
    b: aPage([found("103", "Three")]),
  };
  const { calls } = openSearch(
    "/search?q=tea",
    {},
    {
      "GET /api/search": ({ url }) => parts[url.searchParams.get("cursor") ?? ""] ?? aPage([]),
    },
  );
  await findRow("Two");
  const button = await screen.findByRole("button", { name: "Continue" });
  expect(searchesIn(calls)).toHaveLength(2);
  await userEvent.setup().click(button);
  await findRow("Three");
});

it("says what it did not find and where, and offers to look further", async () => {
  openSearch("/search?q=tea&in=f1&from=2026-05-03&f=unread", {}, { "GET /api/search": aPage([]) });
  await screen.findByText("No results for “tea”");
  await screen.findByText("Plain Notes · Unread · From May 3, 2026");
  const links = () =>
    [...document.querySelectorAll<HTMLAnchorElement>(".state a")].map((link) => [
      link.textContent,
      link.getAttribute("href"),
    ]);
  expect(links()).toEqual([
    ["Search all feeds", "/search?q=tea&from=2026-05-03&f=unread"],
    ["Search all dates", "/search?q=tea&in=f1&f=unread"],
    ["Include read articles", "/search?q=tea&in=f1&from=2026-05-03"],
  ]);
  await userEvent.setup().click(screen.getByText("Search all feeds"));
  await screen.findByText("All feeds · Unread · From May 3, 2026");
  expect(links().at(-1)).toEqual([
    "Search starred articles of feeds you left",
    "/search?q=tea&from=2026-05-03&f=starred",
  ]);
});

it("says below the box why a search was refused, in the words of the server (ja)", async () => {
  const { calls } = openSearch(
    "/search?q=★",
    { preferences: { language: "ja" } },
    {
      "GET /api/search": problem(400, "search_empty", "validation", {
        message: "検索する語を入力してください。",
        action: "入力内容を確認してください。",
      }),
    },
  );
  const box = await screen.findByRole("combobox", { name: "記事を検索" });
  const note = await within(screen.getByRole("search")).findByText(
    "検索する語を入力してください。",
  );
  expect(box.getAttribute("aria-describedby")).toBe(note.id);
  expect(box.getAttribute("aria-invalid")).toBe("true");
  expect(note.getAttribute("role")).toBe("alert");
  expect(searchesIn(calls)).toHaveLength(1);
});

it("keeps what is shown when the server wants a pause, and loads the rest afterwards", async () => {
  let refusals = 1;
  openSearch(
    "/search?q=tea",
    {},
    {
      "GET /api/search": ({ url }) => {
        if (!url.searchParams.has("cursor"))
          return aPage([found("101", "One")], { nextCursor: "a" });
        refusals -= 1;
        if (refusals < 0) return aPage([found("102", "Two")]);
        return problem(429, "rate_limited", "validation", {}) as { status: number; body: unknown };
      },
    },
  );
  await findRow("One");
  await findRow("Two");
  expect(await findRow("One")).toBeTruthy();
});

it("keeps the results of a search until the next one may be answered", async () => {
  let answer: () => void = () => undefined;
  const pause = new Promise<void>((resolve) => {
    answer = resolve;
  });
  openSearch(
    "/search?q=tea",
    {},
    {
      "GET /api/search": async ({ url }) => {
        if (url.searchParams.get("q") === "tea") return aPage([found("101", "One")]);
        await pause;
        return aPage([found("102", "Two")]);
      },
    },
  );
  const user = userEvent.setup();
  await findRow("One");
  const box = await findBox();
  await user.clear(box);
  await user.type(box, "milk{Enter}");
  await waitFor(() => expect(here()).toBe("/search?q=milk"));
  expect(await findRow("One")).toBeTruthy();
  answer();
  await findRow("Two");
  expect(screen.queryByText("One", { selector: ".list-pane .row a" })).toBeNull();
});

it("searches again when the preference about kana has changed", async () => {
  const { calls } = openSearch(
    "/search?q=さくら",
    {},
    {
      "GET /api/search": aPage([found("101", "One")]),
      "PUT /api/user/preferences": { body: { ...defaults, welcomed: true, searchKana: true } },
    },
  );
  const user = userEvent.setup();
  await findRow("One");
  navigate("/settings/reading");
  await user.click(await screen.findByRole("switch", { name: /hiragana/ }));
  await screen.findByText("Treat hiragana and katakana as the same: on");
  expect(searchesIn(calls)).toHaveLength(1);
  navigate("/search?q=さくら");
  await findRow("One");
  expect(searchesIn(calls)).toHaveLength(2);
});

it("says that searching needs a connection, and that the index is being made", async () => {
  openSearch("/search?q=tea", {}, { "GET /api/search": new TypeError("offline") });
  await screen.findByText("Searching needs a connection");
});

it("says above its results that the index is not complete", async () => {
  openSearch(
    "/search?q=tea",
    {},
    {
      "GET /api/search": aPage([found("101", "One")], { state: "building" }),
    },
  );
  await findRow("One");
  await screen.findByText("Articles are still being indexed. Some may be missing.");
});

it("shows no box where search is off", async () => {
  openSearch("/all", { search: "off" }, {});
  await screen.findByRole("link", { name: /Plain Notes/ });
  expect(screen.queryByRole("search")).toBeNull();
});

it("suggests from memory: what was searched for, saved searches, folders and feeds", async () => {
  openSearch(
    "/search",
    { saved: [aSaved({ name: "Plants" })] },
    {
      "GET /api/feeds/1/items": { body: { items: [], nextCursor: null, asOf: "x" } },
      "GET /api/search": aPage([found("101", "One")]),
      "GET /api/searches/7/items": aPage([found("102", "Two")]),
    },
  );
  const user = userEvent.setup();
  await screen.findByRole("link", { name: /Plain Notes/ });
  const options = () =>
    [...document.querySelectorAll(".search-list [role=option]")].map((one) => one.textContent);
  await user.click(await findBox());
  expect(options()).toEqual(["PlantsSaved search"]);
  // From two characters on the list has the answer; the arrows show suggestions.
  await user.keyboard("pla");
  expect(options()).toEqual([]);
  // By keys: the field keeps the focus.
  await user.keyboard("{ArrowDown}");
  // With the tile in place of an icon.
  expect(options()).toEqual(["PlantsSaved search", "PPlain NotesFeed"]);
  await user.keyboard("{ArrowDown}");
  const box = await findBox();
  expect(document.activeElement).toBe(box);
  const active = () => document.getElementById(box.getAttribute("aria-activedescendant") ?? "");
  expect(active()?.textContent).toBe("PlantsSaved search");
  await user.keyboard("{ArrowUp}{Enter}");
  await findRow("One");
  expect(here()).toBe("/search?q=pla");

  await user.clear(box);
  await user.keyboard("{ArrowDown}{ArrowDown}");
  expect(active()?.textContent).toBe("plaRecent");
  await user.keyboard("{Escape}");
  expect(options()).toEqual([]);
  await user.keyboard("{ArrowUp}{ArrowUp}");
  expect(active()?.textContent).toBe("Clear recent searches");
  await user.keyboard("{Enter}");
  expect(options()).toEqual(["PlantsSaved search"]);
  expect(localStorage.getItem("ruri.searches")).not.toContain("pla");
});

it("forgets the searches of this device when somebody signs out", async () => {
  openSearch(
    "/search",
    {},
    {
      "GET /api/search": aPage([found("101", "One")]),
      "POST /api/auth/logout": { status: 204 },
    },
  );
  const user = userEvent.setup();
  await user.type(await findBox(), "secret{Enter}");
  await findRow("One");
  expect(localStorage.getItem("ruri.searches")).toContain("secret");
  keepScrollPosition("search:/search?q=secret|all", { id: "101", within: 0, index: 0 });
  saveScrollPositions();
  expect(JSON.stringify({ ...sessionStorage })).toContain("secret");
  await user.click(await screen.findByRole("button", { name: "Settings" }));
  await user.click(await screen.findByRole("menuitem", { name: "Sign out" }));
  await waitFor(() => expect(location.pathname).toBe("/login"));
  expect(JSON.stringify({ ...localStorage })).not.toContain("secret");
  saveScrollPositions();
  expect(JSON.stringify({ ...sessionStorage })).not.toContain("secret");
});

it("does not suggest what another person searched for", async () => {
  localStorage.setItem("ruri.searches", JSON.stringify({ user: "u2", list: ["secret"] }));
  openSearch("/search", {}, {});
  await userEvent.setup().click(await findBox());
  expect(screen.queryByText("secret")).toBeNull();
});

it("saves a search for the side bar, renames it, moves it and deletes it, with undo", async () => {
  let searches = [aSaved({ id: "1", name: "First", q: "x" })];
  const answer = (more: object = {}) => ({ body: { searches, ...more } });
  const { calls } = openSearch(
    "/search?q=桜&from=2026-05-03&f=unread",
    { saved: searches },
    {
      "GET /api/search": aPage([found("101", "One")]),
      "POST /api/searches": ({ body }) => {
        const id = String(searches.length + 10);
        searches = [...searches, { ...aSaved(), ...(body as SavedSearch), id }];
        return answer({ id });
      },
      "PUT /api/searches/11": ({ body }) => {
        searches = searches.map((one) =>
          one.id === "11" ? { ...(body as SavedSearch), id: "11" } : one,
        );
        return answer();
      },
      "PUT /api/searches/order": ({ body }) => {
        const { ids } = body as { ids: string[] };
        searches = ids.flatMap((id) => searches.filter((one) => one.id === id));
        return answer();
      },
      "DELETE /api/searches/11": () => {
        searches = searches.filter((one) => one.id !== "11");
        return answer();
      },
    },
  );
  await findRow("One");
  const user = userEvent.setup();
  const names = () =>
    [...document.querySelectorAll<HTMLElement>('.side-link[data-kind="saved"]')].map(
      (link) => link.dataset.name,
    );
  await user.click(await screen.findByRole("button", { name: "Save search" }));
  const field = await screen.findByRole("textbox", { name: "Name" });
  await user.clear(field);
  await user.type(field, "花だより{Enter}");
  await waitFor(() => expect(names()).toEqual(["First", "花だより"]));
  expect(calls.find(({ route }) => route === "POST /api/searches")?.body).toEqual({
    name: "花だより",
    q: "桜 after:2026-05-03",
    feed: null,
    folder: null,
    filter: "unread",
    sort: "date",
    kana: "exact",
  });

  const menu = async (name: string, entry: string) => {
    await user.click(await screen.findByRole("button", { name: `Menu for ${name}` }));
    await user.click(await screen.findByRole("menuitem", { name: entry }));
  };
  await menu("花だより", "Rename…");
  const again = await screen.findByRole("textbox", { name: "Name" });
  await user.clear(again);
  await user.type(again, "桜{Enter}");
  await waitFor(() => expect(names()).toEqual(["First", "桜"]));
  await menu("桜", "Move up");
  await waitFor(() => expect(names()).toEqual(["桜", "First"]));
  await menu("桜", "Delete saved search");
  await waitFor(() => expect(names()).toEqual(["First"]));
  await user.keyboard("z");
  await waitFor(() => expect(names()).toEqual(["桜", "First"]));
});

it("opens a saved search as a list, and marks read what it shows, with undo", async () => {
  const { calls } = openSearch(
    "/saved/7",
    { saved: [aSaved()] },
    {
      "GET /api/searches/7/items": aPage([
        found("101", "One"),
        found("102", "Two", { isRead: true }),
        found("103", "Three"),
      ]),
      "POST /api/items/state": ({ body }) => {
        const { changes } = body as { changes: { ids: string[]; isRead: boolean }[] };
        const items = changes.flatMap(({ ids, isRead }) =>
          ids.map((id) => ({ id, isRead, isStarred: false, error: null })),
        );
        const totals = { feeds: 1, unread: 0, starred: 0 };
        return { body: { items, feeds: [], totals, undo: null } };
      },
    },
  );
  await findRow("Three");
  expect((await screen.findByRole("heading", { level: 1 })).textContent).toBe("花");
  const box = (await findBox()) as HTMLInputElement;
  expect(box.value).toBe("桜");
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Mark all as read" }));
  await screen.findByText("2 articles marked as read");
  expect([...document.querySelectorAll('.row[data-read="false"]')]).toHaveLength(0);
  await user.keyboard("z");
  await waitFor(() =>
    expect([...document.querySelectorAll('.row[data-read="false"]')]).toHaveLength(2),
  );
  expect(calls.map(({ route }) => route)).not.toContain("POST /api/items/mark-read");
});

it("asks only for what came since, and puts it behind the pill", async () => {
  const later = { ...feed, itemCount: 11 };
  const bar = (one: typeof feed) => ({
    body: { feeds: [one], totals: { feeds: 1, unread: 2, starred: 0 }, limits: { feeds: 100 } },
  });
  const { calls } = openSearch(
    "/saved/7",
    { saved: [aSaved()] },
    {
      "GET /api/feeds": bar(later),
      "GET /api/searches/7/items": ({ url }) =>
        url.searchParams.has("since")
          ? aPage([found("104", "Late", { publishedAt: "2026-11-19T00:00:00Z" })], {
              asOf: "later",
            })
          : aPage([found("101", "One")]),
      "POST /api/refreshes": {
        body: {
          refresh: {
            id: null,
            isDone: true,
            total: 1,
            checked: 1,
            newItems: 1,
            skipped: 0,
            nextAt: null,
          },
        },
      },
    },
  );
  await findRow("One");
  const user = userEvent.setup();
  await user.keyboard("r");
  await user.click(await screen.findByRole("button", { name: /1 new article/ }));
  await findRow("Late");
  const asked = calls.filter(({ route }) => route === "GET /api/searches/7/items");
  expect(new URLSearchParams(asked[0]?.search).get("since")).toBeNull();
  expect(asked.slice(1).map(({ search }) => new URLSearchParams(search).get("since"))).toContain(
    asOf,
  );
});

it("makes a rule that matches the same, in the same place", async () => {
  openSearch(
    '/search?q=tea -milk title:"black tea" is:unread&in=f1',
    { preferences: { searchKana: true } },
    {
      "GET /api/search": aPage([found("101", "One")]),
      "GET /api/rules": { body: { revision: "1", rules: [] } },
    },
  );
  await findRow("One");
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Filters" }));
  await user.click(await screen.findByRole("menuitem", { name: "Create rule" }));
  await screen.findByRole("heading", { name: "New rule" });
  const text = await screen.findByRole<HTMLInputElement>("textbox", { name: "Condition 1: text" });
  expect(text.value).toBe('tea -milk title:"black tea"');
  const match = screen.getByRole<HTMLSelectElement>("combobox", { name: "Condition 1: match" });
  expect(match.value).toBe("search");
  const folds = screen.getByRole<HTMLInputElement>("checkbox", { name: /hiragana/ });
  expect(folds.checked).toBe(true);
  const place = screen.getByRole<HTMLInputElement>("checkbox", { name: /Plain Notes/ });
  expect(place.checked).toBe(true);
});
