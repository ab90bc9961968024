import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import { flags } from "@/data/flags";
import { closeOutbox } from "@/data/item-state";
import type { ItemSummary, Today } from "@/data/types";
import { openApp } from "@/testing/app";
import { aBeginning, aFeed, aFullItem, anItem } from "@/testing/fixtures";

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const tech = aFeed({ id: "1", title: "Night Compiler", folders: ["10"], unreadCount: 61 });
const radio = aFeed({ id: "2", title: "Field Recordings", unreadCount: 2 });
const silent = aFeed({ id: "3", title: "The Slow Web", lastItemAt: ago(40 * 24 * 60 + 5) });
const feeds = [tech, radio, silent];
const totals = { feeds: 3, unread: 126, starred: 0 };
const folders = [{ id: "10", parentId: null, name: "Technology", position: 0 }];

const item = (id: string, title: string, over: Partial<ItemSummary> = {}) =>
  anItem({ id, title, feedId: tech.id, lang: "en", publishedAt: ago(4), ...over });
const build = item("101", "A build that finishes");
const folios = item("102", "Page cache folios");
const essay = item("103", "Rust in the block layer", { readingMinutes: 18 });
const quiet: Today = {
  since: ago(24 * 60),
  newCount: 0,
  seenCount: 0,
  isPartial: false,
  continued: [],
  folders: [],
  longReads: [],
  episodes: [],
  popular: [],
  priceDrops: [],
  brokenFeeds: [],
  quietFeeds: [],
  week: { read: 0, cleared: 0, starred: 0 },
};
const day: Today = {
  ...quiet,
  newCount: 126,
  seenCount: 30,
  folders: [{ id: "10", newCount: 61, items: [build, folios] }],
  longReads: [essay, ...[4, 5, 6].map((n) => item(`10${n}`, `Long ${n}`, { readingMinutes: 8 }))],
  episodes: [item("201", "A valley without a road", { feedId: radio.id })],
  popular: [item("102", "Page cache folios", { bookmarkCount: 341 })],
  priceDrops: [
    item("301", "南部鉄器の急須", {
      offer: {
        watchId: "9",
        resultId: "1",
        event: "dropped",
        price: 9990,
        before: 12800,
        currency: "JPY",
        status: "onSale",
      },
    }),
  ],
  brokenFeeds: [tech.id],
  quietFeeds: [silent.id],
  week: { read: 214, cleared: 3, starred: 11 },
};

afterEach(async () => {
  flags.clear();
  await closeOutbox(true);
});

function openToday(today: Today, over: { unread?: number } = {}, path = "/") {
  const list = { feeds, totals: { ...totals, ...over }, limits: { feeds: 100 } };
  return openApp(path, {
    "GET /api/me": { body: { ...aBeginning(), ...list, tree: { folders, labels: [] } } },
    "GET /api/feeds": { body: list },
    "GET /api/today": { body: today },
    "GET /api/feeds/1/items": { body: { items: [build], nextCursor: null, asOf: "x", totals } },
    ...Object.fromEntries(
      [build, folios, essay].map((one) => [
        `GET /api/items/${one.id}`,
        { body: { item: aFullItem({ ...one, contentHtml: `<p>Text of ${one.title}</p>` }) } },
      ]),
    ),
    "PUT /api/items/101/state": { body: {} },
    "POST /api/items/state": { body: { results: [], totals } },
  });
}

const section = async (name: string) =>
  within(await screen.findByRole("region", { name: new RegExp(name) }));

it("focuses its heading, which comes after the address", async () => {
  openToday(day);
  const heading = await screen.findByRole("heading", { name: /^126 new since/ });
  await waitFor(() => expect(document.activeElement).toBe(heading));
});

it("shows what is new since the last visit, each section with what it has", async () => {
  openToday(day);
  await screen.findByRole("heading", { level: 1, name: /^126 new since .* yesterday$/ });
  screen.getByText("30 seen");
  screen.getByText("About 12 minutes of skimming left");
  expect(screen.getByRole("img", { name: "30 of 126 seen" })).toBeTruthy();
  const technology = await section("Technology");
  expect(technology.getByRole("link", { name: "59 more" }).getAttribute("href")).toBe(
    "/folder/10?f=unread",
  );
  expect(technology.getByRole("link", { name: /A build that finishes/ }).textContent).toContain(
    "4m",
  );
  expect((await section("Popular among")).getByText("341")).toBeTruthy();
  expect((await section("Price drops")).getByText("−22%")).toBeTruthy();
  expect(
    screen.getByText(
      "Night Compiler could not be fetched. The Slow Web has been quiet for 40 days.",
    ),
  ).toBeTruthy();
  expect(
    screen.getByText("In the last seven days you read 214 articles and starred 11."),
  ).toBeTruthy();
  const long = await section("Long reads");
  expect(long.queryByText("Long 6")).toBeNull();
  fireEvent.click(long.getByRole("button", { name: "All 4" }));
  expect(long.getByText("Long 6")).toBeTruthy();
});

it("offers what was begun first, with how much of it is read", async () => {
  const place = { id: essay.id, at: new Date().toISOString(), part: 0.62, seconds: 0 };
  openToday({ ...day, continued: [{ item: essay, place }] });
  const begun = await section("Continue reading");
  const row = begun.getByRole("link", { name: /Rust in the block layer/ });
  expect(row.textContent).toContain("7 min left");
  expect(row.querySelector(".part-ring")).toBeTruthy();
  const sections = screen.getAllByRole("region").map((one) => one.querySelector("h2")?.textContent);
  expect(sections.indexOf("Continue reading")).toBeLessThan(
    sections.findIndex((name) => name?.startsWith("Technology")),
  );
});

it("Space and j walk through the page in its order, and Escape comes back to it", async () => {
  openToday(day);
  await screen.findByRole("button", { name: /Catch up/ });
  const user = userEvent.setup();
  await user.keyboard(" ");
  await screen.findByText("Text of A build that finishes");
  const isAt = (path: string) => waitFor(() => expect(location.pathname).toBe(path));
  await isAt("/today/i/101");
  await user.keyboard("j");
  await isAt("/today/i/102");
  // What is on the page twice comes once.
  await user.keyboard("j");
  await isAt("/today/i/103");
  await user.keyboard("{Escape}");
  await screen.findByRole("heading", { level: 1, name: /^126 new/ });
  expect(location.pathname).toBe("/");
});

it.each([
  [0, "You have seen everything"],
  [40, "You have seen everything new"],
])("says that nothing is new, with %d older ones unread", async (unread, title) => {
  openToday({ ...quiet, longReads: day.longReads }, { unread });
  await screen.findByRole("heading", { level: 1, name: title });
  expect(screen.getByText(/^Nothing new since .* yesterday$/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: /Catch up/ })).toBeNull();
  expect(screen.queryAllByRole("link", { name: "Older unread: 40" }).length).toBe(unread / 40);
  await section("Long reads");
});

it("moves the ring on when an article on the page is read", async () => {
  openToday(day);
  await screen.findByRole("img", { name: "30 of 126 seen" });
  act(() => flags.show(build.id, { isRead: false }, { isRead: true }));
  await screen.findByRole("img", { name: "31 of 126 seen" });
});

it("leads somebody without feeds to the first run", async () => {
  const list = { feeds: [], totals: { feeds: 0, unread: 0, starred: 0 }, limits: { feeds: 100 } };
  openApp("/", {
    "GET /api/me": { body: { ...aBeginning(), ...list, tree: { folders: [], labels: [] } } },
    "GET /api/feeds": { body: list },
    "GET /api/today": { body: quiet },
    "GET /api/items": { body: { items: [], nextCursor: null, asOf: "x" } },
  });
  await waitFor(() => expect(location.pathname).toBe("/welcome"));
});

it("stands on the sheet beside a list of which no article is open", async () => {
  const server = openToday(day, {}, "/feed/1?v=read");
  const sheet = within(await screen.findByRole("region", { name: "Article" }));
  await sheet.findByRole("heading", { name: "Night Compiler" });
  const link = await sheet.findByRole("link", { name: /A build that finishes/ });
  expect(server.calls.filter(({ route }) => route === "GET /api/today").length).toBe(1);
  await userEvent.click(link);
  expect(location.pathname).toBe("/today/i/101");
});
