import type { QueryClient } from "@tanstack/react-query";
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { folderPaths } from "@/data/folder-paths";
import { treeQuery } from "@/data/tree";
import { aFeed, aFullItem, anOffer } from "@/testing/fixtures";
import { renderApp, testClient } from "@/testing/render";
import { mockServer, problem } from "@/testing/server";
import { AddFeedDialog } from "./add-feed-dialog";
import { addressIn, bestOffer, webAddress } from "./discovery";
import { bookmarklet } from "./other-ways";

type Handler = Parameters<typeof mockServer>[0][string];

beforeEach(() => history.replaceState(null, "", "/all"));

interface Given {
  discover?: Handler;
  add?: Handler;
  save?: Handler;
  /** How many subscriptions there are, of how many. */
  has?: number;
  cap?: number;
  url?: string;
  client?: QueryClient;
}

function open({ discover, add, save, has = 0, cap = 100, url, client }: Given) {
  const onClose = vi.fn();
  const feeds = Array.from({ length: has }, (_, i) => aFeed({ id: String(i + 50) }));
  const { calls } = mockServer({
    "GET /api/feeds": {
      body: { feeds, totals: { feeds: has, unread: 0, starred: 0 }, limits: { feeds: cap } },
    },
    "GET /api/folders": {
      body: {
        folders: [
          { id: "1", parentId: null, name: "Tech", position: 0 },
          { id: "2", parentId: "1", name: "Go", position: 0 },
        ],
      },
    },
    "GET /api/labels": { body: { labels: [] } },
    ...(discover ? { "GET /api/discover": discover } : {}),
    ...(add ? { "POST /api/feeds": add } : {}),
    ...(save ? { "POST /api/read-later": save } : {}),
    "GET /api/items/77": { body: { item: aFullItem({ id: "77", labels: ["5", "6"] }) } },
    "PUT /api/items/77/labels": { body: { labels: [] } },
    "PUT /api/subscriptions/12/settings": { body: { subscription: {} } },
  });
  renderApp(
    <AddFeedDialog {...(url ? { url } : {})} onClose={onClose} onImport={() => undefined} />,
    client,
  );
  const bodies = (route: string) =>
    calls.filter((call) => call.route === route).map((call) => call.body);
  const searched = () =>
    calls
      .filter((call) => call.route === "GET /api/discover")
      .map((call) => new URLSearchParams(call.search).get("url"));
  return { onClose, bodies, searched };
}

const field = () => screen.getByRole("textbox", { name: "Feed or website address" });
const button = (name: string) => screen.findByRole("button", { name });

async function look(url: string) {
  const user = userEvent.setup();
  if (url) await user.type(field(), url);
  await user.click(await button("Find feeds"));
  return user;
}

const offers = (...feeds: ReturnType<typeof anOffer>[]): Handler => ({ body: { feeds } });
const added: Handler = { status: 201, body: { feed: aFeed({ id: "12", title: "New" }) } };

it("looks, shows what is there, subscribes, closes and opens the feed", async () => {
  const offer = anOffer({
    title: "Posts",
    itemsPerWeek: 3.2,
    monthlyUSD: 0.0123,
    newest: [{ title: "First", publishedAt: null }],
  });
  const { onClose, bodies, searched } = open({ discover: offers(offer), add: added });
  const user = await look("example.jp");
  const choice = await screen.findByRole("radio");
  expect(searched()).toEqual(["example.jp"]);
  expect(choice.closest("label")?.textContent).toMatch(
    /PostsAtom3 per week.*about \$0\.0123 per month/,
  );
  expect(screen.getByRole("list", { name: "Latest articles" }).textContent).toContain("First");
  await user.click(await button("Subscribe"));
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(bodies("POST /api/feeds")).toEqual([{ url: offer.url }]);
  expect(location.pathname).toBe("/feed/12");
  await screen.findByText("Subscribed to New");
});

it("begins as soon as an address is pasted, and Enter goes on", async () => {
  const { bodies } = open({ discover: offers(anOffer({})), add: added });
  const user = userEvent.setup();
  await user.click(field());
  await user.paste("Look at this https://example.jp/blog it is good");
  await screen.findByRole("radio");
  await user.keyboard("{Enter}");
  await waitFor(() => expect(bodies("POST /api/feeds")).toHaveLength(1));
});

it("says while a slow site is searched where it looks, and goes on", async () => {
  let release = () => {};
  const isFound = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { bodies } = open({
    discover: async () => {
      await isFound;
      return { body: { feeds: [anOffer({ title: "Snail" })] } };
    },
    add: added,
  });
  const user = await look("https://slow.example/feed");
  await screen.findByText("Looking for a feed at https://slow.example/feed");
  release();
  await screen.findByRole("radio", { name: /^Snail/ });
  await user.click(await button("Subscribe"));
  await screen.findByText("Subscribed to New");
  expect(bodies("POST /api/feeds")).toEqual([{ url: anOffer({}).url }]);
});

it("begins at once with an address that was shared", async () => {
  const { searched } = open({ discover: offers(anOffer({})), url: "https://example.jp/a" });
  await screen.findByRole("radio");
  expect(searched()).toEqual(["https://example.jp/a"]);
});

it("puts the feed into a folder of the tree, at an interval of one's own", async () => {
  const { bodies } = open({ discover: offers(anOffer({})), add: added });
  const user = await look("example.jp");
  await user.selectOptions(await screen.findByLabelText("Folder"), "Tech / Go");
  await user.selectOptions(screen.getByLabelText("Interval"), "every 3 hours");
  await user.click(await button("Subscribe"));
  await waitFor(() =>
    expect(bodies("PUT /api/subscriptions/12/settings")).toEqual([{ fetchIntervalMinutes: 180 }]),
  );
  expect(bodies("POST /api/feeds")).toEqual([{ url: anOffer({}).url, folder: "Tech/Go" }]);
});

it("proposes the folder that one is in", async () => {
  history.replaceState(null, "", "/folder/2");
  const client = testClient();
  const folders = [
    { id: "1", parentId: null, name: "Tech", position: 0 },
    { id: "2", parentId: "1", name: "Go", position: 0 },
  ];
  client.setQueryData(treeQuery.queryKey, { folders, labels: [] });
  open({ discover: offers(anOffer({})), client });
  await look("example.jp");
  expect((await screen.findByLabelText<HTMLSelectElement>("Folder")).value).toBe("Tech/Go");
});

it("offers a bookmarklet that leads to this reader", () => {
  const code = bookmarklet("https://ruri.example");
  expect(code).toBe(
    'javascript:location.href="https://ruri.example/add?url="+encodeURIComponent(location.href)',
  );
});

it("makes a new folder by the way", async () => {
  const { bodies } = open({ discover: offers(anOffer({})), add: added });
  const user = await look("example.jp");
  await user.selectOptions(await screen.findByLabelText("Folder"), "New folder…");
  await user.type(screen.getByLabelText("New folder name"), "Fun");
  await user.click(await button("Subscribe"));
  await waitFor(() =>
    expect(bodies("POST /api/feeds")).toEqual([{ url: anOffer({}).url, folder: "Fun" }]),
  );
});

it("opens what is subscribed to already", async () => {
  const mine = anOffer({ isSubscribed: true, feedId: "7" });
  const { bodies, onClose } = open({ discover: offers(mine) });
  const user = await look("example.jp");
  await user.click(await button("Open feed"));
  expect(onClose).toHaveBeenCalled();
  expect(location.pathname).toBe("/feed/7");
  expect(bodies("POST /api/feeds")).toEqual([]);
});

it("starts in the field, and asks for an address when there is none", async () => {
  const { searched } = open({});
  await look("");
  expect(field()).toBe(document.activeElement);
  expect(screen.getByText("Enter an address.")).toBeDefined();
  expect(field().getAttribute("aria-invalid")).toBe("true");
  expect(searched()).toEqual([]);
});

it.each([
  ["dns_failure", 422, "feed"],
  ["blocked_address", 422, "feed"],
  ["bad_url", 400, "validation"],
  ["internal", 500, "system"],
])("shows the server's message: %s", async (code, status, category) => {
  const { onClose } = open({ discover: problem(status, code, category) });
  await look("https://example.jp/");
  expect((await screen.findByRole("alert")).textContent).toContain(`message of ${code}`);
  expect(field()).toBe(document.activeElement);
  expect(onClose).not.toHaveBeenCalled();
});

it("says the number of the cap, before anything is tried too", async () => {
  open({ has: 2, cap: 2 });
  expect((await screen.findByText(/You have reached your limit/)).textContent).toContain(
    "You have reached your limit of 2 subscriptions",
  );
});

it("says the cap when the server refuses by it", async () => {
  const limit = problem(409, "subscription_limit", "validation");
  open({ discover: offers(anOffer({})), add: limit, cap: 5 });
  const user = await look("example.jp");
  await user.click(await button("Subscribe"));
  await screen.findByText("You have reached your limit of 5 subscriptions.");
});

it("waits as long as it must, and goes on by itself", async () => {
  let asked = 0;
  const { searched } = open({
    discover: () => {
      asked += 1;
      return asked > 1
        ? { body: { feeds: [anOffer({})] } }
        : { ...problem(429, "rate_limited", "validation"), headers: { "Retry-After": "1" } };
    },
  });
  await look("example.jp");
  await screen.findByText("Continuing in 1 second…");
  await screen.findByRole("radio", {}, { timeout: 3000 });
  expect(searched()).toHaveLength(2);
});

it("offers the feeds that the page names", async () => {
  const { searched } = open({
    discover: ({ url }) =>
      url.searchParams.get("url")?.endsWith("b.xml")
        ? { body: { feeds: [anOffer({})] } }
        : problem(422, "no_feed_found", "feed", {
            tried: ["https://example.jp/"],
            candidates: [
              { url: "https://example.jp/a.xml", title: "Posts" },
              { url: "https://example.jp/b.xml", title: "Comments" },
            ],
          }),
  });
  const user = await look("https://example.jp/");
  const list = await screen.findByRole("group", { name: "Feeds listed on the page" });
  expect(list.textContent).toContain("Posts");
  const [, comments] = screen.getAllByRole("button", { name: "Search there" });
  await user.click(comments as HTMLElement);
  await screen.findByRole("radio");
  expect(searched()).toEqual(["https://example.jp/", "https://example.jp/b.xml"]);
});

it.each([
  [" example.jp ", "example.jp"],
  ["feed:https://a.jp/f", "feed:https://a.jp/f"],
  ["A title\nhttps://a.jp/f?x=1 (via)", "https://a.jp/f?x=1"],
  ["", ""],
])("reads %j as %j", (typed, want) => {
  expect(addressIn(typed)).toBe(want);
});

it.each([
  ["example.jp", "https://example.jp/"],
  ["feed:https://a.jp/f", "https://a.jp/f"],
  ["feed://a.jp/f", "https://a.jp/f"],
  ["javascript:alert(1)", null],
  ["nonsense", null],
])("opens %j as %j", (typed, want) => {
  expect(webAddress(typed)).toBe(want);
});

it("prefers what is new and known to be a feed", () => {
  const mine = anOffer({ url: "https://a/1", isSubscribed: true });
  const named = anOffer({ url: "https://a/2", isChecked: false });
  const good = anOffer({ url: "https://a/3" });
  expect(bestOffer([mine, named, good])).toBe(good);
  expect(bestOffer([mine, named])).toBe(named);
  expect(bestOffer([mine])).toBe(mine);
  expect(bestOffer([])).toBeUndefined();
});

it("lists folders below those around them", () => {
  const folders = [
    { id: "3", parentId: null, name: "B", position: 1 },
    { id: "1", parentId: null, name: "A", position: 0 },
    { id: "2", parentId: "1", name: "C", position: 0 },
  ];
  expect(folderPaths(folders).map((one) => one.path)).toEqual(["A", "A/C", "B"]);
});

it("says offline that nothing can be looked for, not that something comes by itself", async () => {
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  let isUp = false;
  open({
    url: "https://example.jp/",
    discover: () => (isUp ? { body: { feeds: [anOffer()] } } : new TypeError("network")),
  });
  await screen.findByText("You are offline. Feeds can only be found with a connection.");
  expect(screen.queryByText(/saved on this device|by itself/)).toBeNull();
  isUp = true;
  await userEvent.setup().click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByRole("button", { name: "Subscribe" });
});

const saved = (over: object = {}) => ({
  status: 201,
  body: { id: "77", labelId: "5", state: "ok", message: null, ...over },
});
const saveButton = () => screen.findByRole("button", { name: "Save page to Read later" });

it("keeps a shared page to read it later, without a subscription, and takes it back", async () => {
  const { onClose, bodies } = open({
    url: "https://blog.example/post",
    discover: problem(422, "no_feed_found", "validation"),
    save: saved(),
  });
  const user = userEvent.setup();
  await user.click(await saveButton());
  await screen.findByText("Saved to Read later");
  expect(onClose).toHaveBeenCalledOnce();
  expect(bodies("POST /api/read-later")).toEqual([{ url: "https://blog.example/post" }]);
  expect(bodies("POST /api/feeds")).toEqual([]);
  await user.click(screen.getByRole("button", { name: /Undo/ }));
  await waitFor(() => expect(bodies("PUT /api/items/77/labels")).toEqual([{ labels: ["6"] }]));
});

it("offers to keep a page only for an address, and says what became of its text", async () => {
  open({
    discover: problem(422, "no_feed_found", "validation"),
    save: saved({ state: "robots", message: "The site does not permit it." }),
  });
  expect(screen.queryByRole("button", { name: "Save page to Read later" })).toBeNull();
  const user = userEvent.setup();
  await user.type(screen.getByRole("textbox"), "blog.example/post");
  await user.click(await saveButton());
  await screen.findByText("Saved to Read later without its text: The site does not permit it.");
});

it("says why a page could not be kept, and stays open", async () => {
  const { onClose } = open({
    url: "https://blog.example/post",
    discover: problem(422, "no_feed_found", "validation"),
    save: problem(429, "too_many_pages", "limit"),
  });
  await userEvent.click(await saveButton());
  await screen.findByText(/message of too_many_pages/);
  expect(onClose).not.toHaveBeenCalled();
  expect((await saveButton()).getAttribute("aria-disabled")).toBe("false");
});
