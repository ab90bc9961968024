import { act, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { flags } from "@/data/flags";
import { closeOutbox } from "@/data/item-state";
import { defaults } from "@/data/settings";
import type { SavedSearch } from "@/data/types";
import { openApp } from "@/testing/app";
import { aBeginning, aFeed, anItem } from "@/testing/fixtures";

const feed = aFeed({ id: "1", title: "Plain Notes" });
const items = ["101", "102", "103"].map((id) =>
  anItem({ id, feedId: feed.id, title: `Tea ${id}` }),
);

const aSaved = (id: string, over: Partial<SavedSearch> = {}): SavedSearch => ({
  id,
  name: `Search ${id}`,
  q: "tea",
  feed: null,
  folder: null,
  filter: "all",
  sort: "date",
  kana: "exact",
  ...over,
});

const aPage = (shown: typeof items, over: object = {}) => ({
  items: shown,
  nextCursor: null,
  asOf: "position",
  state: "ready",
  reached: null,
  ...over,
});

interface Given {
  searches: SavedSearch[];
  page?: object;
  isWide?: boolean;
  search?: "off" | "titles";
}

function open({ searches, page = aPage(items), isWide = true, search = "titles" }: Given) {
  const plain = matchMedia;
  vi.stubGlobal("matchMedia", (query: string) => ({
    ...plain(query),
    matches: isWide ? query.includes("min-width: 1200px") : query.includes("max-width"),
  }));
  const bar = { feeds: [feed], totals: { feeds: 1, unread: 3, starred: 0 }, limits: { feeds: 10 } };
  const me = { ...aBeginning(), searches, search, ...bar };
  return openApp("/all", {
    "GET /api/me": { body: { ...me, preferences: { ...defaults, welcomed: true } } },
    "GET /api/feeds": { body: bar },
    "GET /api/items": { body: { items: [], nextCursor: null, asOf: "x" } },
    ...Object.fromEntries(
      searches.map(({ id }) => [`GET /api/searches/${id}/items`, { body: page }]),
    ),
  });
}

const counts = (calls: ReturnType<typeof open>["calls"]) =>
  calls.filter(({ route }) => route.startsWith("GET /api/searches/"));
const shown = (name: string) => screen.findByRole("link", { name: new RegExp(`^${name}`) });

beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockReturnValue(
    new DOMRect(10, 10, 100, 20),
  );
});

afterEach(async () => {
  flags.clear();
  await closeOutbox(true);
});

it("counts what is unread, in the background, and follows the marks", async () => {
  const { calls } = open({ searches: [aSaved("7")] });
  await waitFor(async () => expect((await shown("Search 7")).textContent).toBe("Search 73 unread"));
  const [first, ...more] = counts(calls);
  expect(more).toEqual([]);
  expect(first?.priority).toBe("low");
  expect(Object.fromEntries(new URLSearchParams(first?.search))).toMatchObject({
    filter: "unread",
    limit: "99",
  });
  act(() => flags.adopt("102", { isRead: true, isStarred: false }));
  expect((await shown("Search 7")).textContent).toBe("Search 72 unread");
});

it("says that there are more than were counted", async () => {
  open({ searches: [aSaved("7")], page: aPage(items, { nextCursor: "next" }) });
  await waitFor(async () =>
    expect((await shown("Search 7")).textContent).toBe("Search 73+ unread"),
  );
});

it("counts no more searches than the server allows in addition to the person's own", async () => {
  const searches = Array.from({ length: 12 }, (_, at) => aSaved(String(20 + at)));
  const { calls } = open({ searches });
  await waitFor(() => expect(counts(calls)).toHaveLength(10));
  expect((await shown("Search 31")).textContent).toBe("Search 31");
});

it.each([
  ["stars", { searches: [aSaved("7", { filter: "starred" })] }],
  ["a closed side bar", { searches: [aSaved("7")], isWide: false }],
  ["a server without searches", { searches: [aSaved("7")], search: "off" as const }],
])("does not count with %s", async (_, given) => {
  const { calls } = open(given);
  await screen.findAllByText("Search 7");
  expect(counts(calls)).toEqual([]);
});
