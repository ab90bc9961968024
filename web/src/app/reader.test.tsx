import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { flags } from "@/data/flags";
import { closeOutbox } from "@/data/item-state";
import { defaults } from "@/data/settings";
import { openApp } from "@/testing/app";
import { aBeginning, aFeed, aFullItem, anItem } from "@/testing/fixtures";
import { problem } from "@/testing/server";

const plain = aFeed({ id: "1", title: "Plain Notes", unreadCount: 2, hasUnread: true });
const rainy = aFeed({
  id: "2",
  title: "Rainy Days",
  unreadCount: 1,
  hasUnread: true,
  folders: ["11"],
  folder: "技術/Web",
});
const folders = [
  { id: "10", parentId: null, name: "技術", position: 0 },
  { id: "11", parentId: "10", name: "Web", position: 0 },
  { id: "12", parentId: null, name: "News", position: 1 },
];
const items = [
  anItem({ id: "101", title: "One", feedId: plain.id }),
  anItem({ id: "102", title: "Two", feedId: plain.id }),
];
const list = { body: { items, nextCursor: null, asOf: "x" } };
const counts = { id: plain.id, unreadCount: 2, hasUnread: true, starredCount: 0 };

// They belong to the page that is open.
afterEach(async () => {
  flags.clear();
  await closeOutbox(true);
});

type Preferences = Partial<typeof defaults>;

/** Opens an address for a person with two feeds in a tree of folders. */
function openReader(
  path: string,
  preferences: Preferences,
  routes: Parameters<typeof openApp>[1] = {},
) {
  const feeds = {
    feeds: [plain, rainy],
    totals: { feeds: 2, unread: 3, starred: 0 },
    limits: { feeds: 100 },
  };
  return openApp(path, {
    "GET /api/me": {
      body: {
        ...aBeginning(),
        preferences: { ...defaults, welcomed: true, ...preferences },
        tree: { folders, labels: [] },
        ...feeds,
      },
    },
    "GET /api/feeds": { body: feeds },
    "GET /api/folders": { body: { folders } },
    "GET /api/labels": { body: { labels: [] } },
    "GET /api/items": list,
    "GET /api/feeds/1/items": list,
    "GET /api/feeds/2/items": { body: { items: [], nextCursor: null } },
    "GET /api/items/101": { body: { item: aFullItem(items[0]) } },
    "GET /api/items/102": { body: { item: aFullItem({ ...items[1] }) } },
    ...routes,
  });
}

/** The link of a row in the list. */
const findRow = (title: string) => screen.findByText(title, { selector: ".list-pane .row a" });

/** A link of the side bar. */
function side(name: string): HTMLElement | undefined {
  return [...document.querySelectorAll<HTMLElement>(".side-link")].find(
    (link) => link.dataset.name === name,
  );
}

async function findSide(name: string): Promise<HTMLElement> {
  return waitFor(() => {
    const link = side(name);
    if (!link) throw new Error(`no ${name} in the side bar`);
    return link;
  });
}

/** The names in the tree from top to bottom, with their counts. */
const tree = () =>
  [...document.querySelectorAll<HTMLElement>(".side section .side-row")].map(
    (row) => row.textContent,
  );

const countBeside = (name: string) =>
  Number(side(name)?.querySelector(".count")?.firstChild?.textContent ?? 0);

it("shows a folder again that could not be deleted, and says why (ja)", async () => {
  const { calls } = openReader(
    "/all",
    { language: "ja" },
    { "DELETE /api/folders/11": problem(503, "busy", "system", { message: "混み合っています。" }) },
  );
  const before = await findSide("News").then(tree);
  fireEvent.contextMenu(await findSide("Web"));
  await userEvent.click(await screen.findByRole("menuitem", { name: "フォルダーを削除" }));
  const toast = await screen.findByText(/混み合っています。/);
  expect(toast.textContent).not.toContain("削除しました");
  expect(tree()).toEqual(before);
  const sent = calls.map(({ route }) => route).filter((route) => !route.startsWith("GET"));
  expect(sent).toEqual(["DELETE /api/folders/11"]);
});

it("continues a list by itself where the server ended a page early", async () => {
  const many = Array.from({ length: 50 }, (_, at) =>
    anItem({ id: String(201 + at), title: `Item ${at + 1}`, feedId: plain.id }),
  );
  // The first part is empty, the second too long for the list to load more of its own accord, the third is the rest.
  const parts: Record<string, unknown> = {
    "": { items: [], nextCursor: "a", asOf: "x", isPartial: true },
    a: { items: many.slice(0, 40), nextCursor: "b", asOf: null, isPartial: true },
    b: { items: many.slice(40), nextCursor: "c", asOf: null, isPartial: true },
  };
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const { calls } = openReader(
    "/all",
    {},
    {
      "GET /api/items": async ({ url }) => {
        const cursor = url.searchParams.get("cursor") ?? "";
        if (cursor !== "") await held;
        return { body: parts[cursor] };
      },
    },
  );
  const cursors = () =>
    calls
      .filter(({ route }) => route === "GET /api/items")
      .map(({ search }) => new URLSearchParams(search).get("cursor"));
  await waitFor(() => expect(cursors()).toEqual([null, "a"]));
  expect(document.querySelector(".list-pane .scroll")?.getAttribute("aria-busy")).toBe("true");
  release();
  await findRow("Item 1");
  await waitFor(() => expect(cursors()).toEqual([null, "a", "b"]));
  expect(screen.queryByText("You're all caught up.")).toBeNull();
});

it("goes to a feed or runs a command by a few letters", async () => {
  openReader("/all?v=skim", {});
  await findSide("News");
  const user = userEvent.setup();
  await user.keyboard("{Control>}k{/Control}");
  const field = await within(await screen.findByRole("dialog")).findByRole("combobox");
  expect(document.activeElement).toBe(field);
  await user.keyboard("xyzxyz");
  await screen.findByRole("option", { name: "Search articles for “xyzxyz”" });
  expect(screen.getAllByRole("option")).toHaveLength(1);
  await user.clear(field);
  await user.keyboard("plain");
  await screen.findByRole("option", { name: /Plain Notes/ });
  await user.keyboard("{Enter}");
  await waitFor(() => expect(location.pathname).toBe("/feed/1"));
  await waitFor(() => expect(document.activeElement).not.toBe(document.body));

  await user.keyboard("{Control>}k{/Control}");
  await screen.findByRole("dialog");
  await user.keyboard("Add a feed{Enter}");
  await screen.findByRole("textbox", { name: "Feed or website address" });
});

it.each([
  { language: "en", message: "No.", says: /^1 change was rejected\. No\./ },
  {
    language: "ja",
    message: "できません。",
    says: /^1件の操作は受け付けられませんでした。できません。/,
  },
] as const)("takes back a star that is refused, and keeps the next ($language)", async (given) => {
  let refuse = () => {};
  const isSeen = new Promise<void>((resolve) => {
    refuse = resolve;
  });
  const flushes: unknown[] = [];
  openReader(
    "/feed/1",
    { language: given.language },
    {
      "POST /api/items/state": async ({ body }) => {
        const { changes } = body as { changes: unknown[] };
        flushes.push(...changes);
        if (flushes.length === 1) {
          await isSeen;
          return problem(400, "odd", "validation", { message: given.message });
        }
        return {
          body: {
            items: [{ id: "102", isRead: false, isStarred: true, error: null }],
            feeds: [{ ...counts, starredCount: 1 }],
            totals: { feeds: 2, unread: 3, starred: 1 },
          },
        };
      },
    },
  );
  const starred = given.language === "ja" ? "スター" : "Starred";
  await findSide(starred);
  await findRow("One");
  const user = userEvent.setup();
  await user.keyboard("n");
  await user.keyboard("s");
  await waitFor(() => expect(countBeside(starred)).toBe(1));
  await waitFor(() => expect(flushes).toHaveLength(1));
  refuse();
  await screen.findByText(given.says);
  await waitFor(() => expect(countBeside(starred)).toBe(0));
  await user.keyboard("n");
  await user.keyboard("s");
  await waitFor(() => expect(countBeside(starred)).toBe(1));
  await waitFor(() => expect(flushes).toHaveLength(2));
  expect(flushes).toEqual([
    { ids: ["101"], isStarred: true },
    { ids: ["102"], isStarred: true },
  ]);
  expect(countBeside(starred)).toBe(1);
});

it("leaves what is opened unread where a person wants that", async () => {
  const { calls } = openReader("/feed/1", { autoMarkAsRead: false });
  for (const title of ["One", "Two"]) {
    await userEvent.click(await findRow(title));
    await waitFor(() =>
      expect(document.querySelector(".article-pane .title")?.textContent).toBe(title),
    );
    await waitFor(() => expect(document.querySelector(".article-pane .prose")).not.toBeNull());
  }
  const first = (await findRow("One")).closest<HTMLElement>(".row");
  expect(first?.dataset.read).toBe("false");
  expect(localStorage.getItem("ruri.outbox")).toBeNull();
  expect(calls.some(({ route }) => route === "POST /api/items/state")).toBe(false);
});

it("looks as its address says for that visit, and keeps the mode that is chosen for a list", async () => {
  const { calls } = openReader("/feed/1?v=gallery", {});
  const look = () => document.querySelector<HTMLElement>(".list-pane")?.dataset.look;
  await findRow("One");
  expect(look()).toBe("gallery");
  await findSide("Plain Notes");
  const user = userEvent.setup();
  await user.keyboard("{Shift>}J{/Shift}");
  await waitFor(() => expect([location.pathname, location.search]).toEqual(["/feed/2", ""]));
  expect(look()).toBe("read");
  await user.click(await screen.findByRole("button", { name: "List actions" }));
  await user.click(await screen.findByRole("menuitemradio", { name: /Skim/ }));
  await waitFor(() => expect(look()).toBe("skim"));
  expect([location.pathname, location.search]).toEqual(["/feed/2", "?v=skim"]);
  await user.click(await findSide("Unread"));
  await waitFor(() => expect(location.pathname).toBe("/all"));
  await user.keyboard("2");
  await waitFor(() => expect([look(), location.search]).toEqual(["read", "?f=unread&v=read"]));
  expect(calls.filter(({ route }) => route.startsWith("PUT"))).toEqual([]);
});

it.each(["skim", "stream"])(
  "shows the key sentences of the selected article by y in %s",
  async (mode) => {
    const { calls } = openReader(
      `/all?v=${mode}`,
      {},
      {
        "POST /api/items/101/assist": {
          body: {
            ...{
              state: "ok",
              kind: "sentences",
              text: "Five columns.",
              lang: null,
              isExtract: true,
            },
            by: { provider: "extract", model: null, host: null },
            ...{ sentences: 61, isTruncated: false, isCached: false, isMeasured: true, code: null },
            ...{ message: null, nextAt: null },
            tokenUsage: { thisRequest: 0, monthlyUsed: 0, monthlyLimit: 0 },
          },
        },
        "GET /api/items/101": { body: { item: aFullItem(items[0]) } },
        "GET /api/items/bodies": {
          body: { items: items.map((item) => aFullItem(item)), rest: [] },
        },
      },
    );
    await findRow("One");
    await findSide("Plain Notes");
    const user = userEvent.setup();
    await user.keyboard("ny");
    const panel = await screen.findByRole("region", { name: "Key sentences" });
    await within(panel).findByText("Five columns.");
    expect(calls.filter(({ route }) => route.endsWith("/assist"))).toHaveLength(1);
    await user.keyboard("y");
    await waitFor(() => expect(screen.queryByRole("region", { name: "Key sentences" })).toBeNull());
  },
);

it("filters by Shift and a digit, and in Skim marks the screen and shows the next", async () => {
  openReader("/all?v=skim", {});
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(900);
  await findRow("One");
  await findSide("Plain Notes");
  fireEvent.keyDown(document.body, { key: " ", code: "Space" });
  await waitFor(() => expect(document.querySelectorAll('.row[data-read="false"]')).toHaveLength(0));
  fireEvent.keyDown(document.body, { key: "!", code: "Digit1", shiftKey: true });
  await waitFor(() => expect(location.search).toBe("?f=unread&v=skim"));
});
