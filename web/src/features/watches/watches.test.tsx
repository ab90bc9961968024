import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { openApp } from "@/testing/app";
import { anItem } from "@/testing/fixtures";
import type { mockServer } from "@/testing/server";
import {
  aCandidate,
  aDay,
  anOfferOfItem,
  aPreview,
  aPreviewRow,
  aResult,
  aWatch,
} from "@/testing/watches";

type Routes = Parameters<typeof mockServer>[0];

function open(path: string, routes: Routes) {
  const { calls } = openApp(path, routes);
  const bodies = (route: string) =>
    calls.filter((call) => call.route === route).map((call) => call.body);
  const queries = (route: string) =>
    calls.filter((call) => call.route === route).map((call) => new URLSearchParams(call.search));
  return { bodies, queries };
}

const demoUrl = "http://127.0.0.1:8080/samples/shop/";
const list = (...watches: ReturnType<typeof aWatch>[]) => ({
  body: { watches, limit: 20, demoUrl },
});
const card = async (name: string) =>
  (await screen.findByRole("link", { name })).closest("li") as HTMLElement;

it("lists what each watch knows, and what is wrong with it", async () => {
  const problem = {
    code: "listing_changed",
    message: "The page has changed.",
    help: "Check the rows.",
    since: "2026-11-20T00:00:00Z",
  };
  open("/watches", {
    "GET /api/watches": list(
      aWatch({
        id: "8",
        name: "Notices",
        lowest: null,
        change7d: null,
        onSale: 20,
        sold: 0,
        problem,
      }),
      aWatch(),
      aWatch({ id: "9", name: "New one", lastCheckedAt: null, nextCheckAt: null, lowest: null }),
      aWatch({ id: "10", name: "Resting", isPaused: true }),
    ),
  });
  const text = async (name: string) => (await card(name)).textContent;
  expect(await text("Notices")).toMatch(/20 listed · shop\.example.*Check the rows/);
  expect(await text("Leica M6")).toContain("12 on sale · shop.example¥298,000¥289,000−3%");
  expect(await text("New one")).toContain("Waiting for the first check");
  expect(await text("Resting")).toContain("Paused");
  const names = screen.getAllByRole("region").map((one) => one.ariaLabel);
  expect(names.slice(-3)).toEqual(["Dropped this week", "Steady", "Just begun"]);
});

it.each([
  ["listing_empty", "link", "Check the rows", "Check now"],
  ["feed_timeout", "button", "Check now", "Check the rows"],
])("offers for %s what helps", async (code, role, offered, not) => {
  const problem = { code, message: "It failed.", help: "", since: null };
  open("/watches", { "GET /api/watches": list(aWatch({ problem })) });
  const row = within(await card("Leica M6"));
  row.getByRole(role, { name: offered });
  expect(row.queryByText(not)).toBeNull();
});

it("says to a person without watches what they are, and takes an address", async () => {
  open("/watches", {
    "GET /api/watches": list(),
    "POST /api/watches/preview": { body: aPreview() },
  });
  const user = userEvent.setup();
  const demo = await screen.findByRole("link", { name: "Try the demo shop" });
  expect(demo.getAttribute("href")).toBe(`/watches/new?url=${encodeURIComponent(demoUrl)}`);
  await user.click(screen.getByRole("button", { name: "Preview" }));
  screen.getByText("Enter an address.");
  await user.type(screen.getByLabelText("Address of the page"), "https://shop.example/{Enter}");
  await waitFor(() =>
    expect(location.pathname + location.search).toBe(
      "/watches/new?url=https%3A%2F%2Fshop.example%2F",
    ),
  );
});

it("deletes a watch, and takes it back", async () => {
  const watch = aWatch();
  const { bodies } = open("/watches", {
    "GET /api/watches": () => list(...(bodies("DELETE /api/watches/7").length ? [] : [watch])),
    "DELETE /api/watches/7": { status: 204 },
    "PUT /api/watches/7": { body: { watch } },
  });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Delete: Leica M6" }));
  await screen.findByText("Leica M6 deleted");
  await waitFor(() => expect(screen.queryByRole("link", { name: "Leica M6" })).toBeNull());
  await user.click(screen.getByRole("button", { name: /^Undo/ }));
  await waitFor(() =>
    expect(bodies("PUT /api/watches/7")).toEqual([{ interval: 60, folderIds: [] }]),
  );
});

it("makes a watch of the search of a site with an adapter", async () => {
  const shop = {
    name: "shop",
    version: 1,
    hosts: ["shop.example"],
    terms: null,
    currency: "EUR",
    asks: ["keyword", "max"],
  };
  const found = aCandidate({ adapter: "shop", rows: [aPreviewRow()] });
  const { bodies } = open("/watches/new", {
    "GET /api/adapters": {
      body: { adapters: [{ ...shop, name: "another", hosts: ["a.example"] }, shop] },
    },
    "POST /api/watches/preview": { body: aPreview({ candidates: [found] }) },
    "POST /api/watches": { status: 201, body: { watch: aWatch() } },
  });
  const user = userEvent.setup();
  const site = await screen.findByLabelText("Site");
  expect(site).toHaveProperty("value", "another");
  await user.type(screen.getByLabelText("Address of the page"), "shop.example/search");
  expect(site).toHaveProperty("value", "shop");
  await user.type(screen.getByLabelText("Search words"), "Leica M6");
  await user.type(screen.getByLabelText("Highest price (EUR)"), "x");
  await user.click(screen.getByRole("button", { name: "Preview the search" }));
  screen.getByText("Enter an amount, such as 9800.");
  await user.clear(screen.getByLabelText("Highest price (EUR)"));
  await user.type(screen.getByLabelText("Highest price (EUR)"), "20");
  await user.click(screen.getByRole("button", { name: "Preview the search" }));
  const query = { keyword: "Leica M6", max: 2000 };
  await screen.findByRole("button", { name: "Watch this page" });
  expect(bodies("POST /api/watches/preview")[0]).toEqual({ adapter: "shop", query });
  expect(screen.getByLabelText("Pages to read")).toHaveProperty("disabled", true);
  await user.selectOptions(screen.getByLabelText("Keep prices and past results"), "12 months");
  await user.click(
    screen.getByRole("checkbox", { name: "I've read the terms, and they allow this" }),
  );
  await user.click(screen.getByRole("button", { name: "Watch this page" }));
  await waitFor(() =>
    expect(bodies("POST /api/watches")).toMatchObject([
      { settings: { adapter: "shop", query, months: 12 } },
    ]),
  );
});

const rows = [
  aPreviewRow({ name: "Leica M6" }),
  aPreviewRow({ name: "Leica M3", price: null, priceText: "ASK", warnings: ["no_price"] }),
];
const candidates = [
  aCandidate({ rows, rowsFound: 2, rowsFitting: 2 }),
  aCandidate({ layout: { rows: ".side li" }, rows: [aPreviewRow({ name: "Lenses" })] }),
];
/** Tries the layout that it is asked for, as the server does. */
const preview: Routes[string] = ({ body }) => {
  const { previewId, layout, settings } = body as {
    previewId?: string;
    layout?: (typeof candidates)[number]["layout"];
    settings?: { max?: number };
  };
  if (!previewId) return { body: aPreview({ candidates }) };
  const found = candidates.find((one) => one.layout.rows === layout?.rows) ?? candidates[0];
  const tried = { ...found, layout, rowsFitting: settings?.max ? 1 : found?.rowsFound };
  return { body: aPreview({ candidates: [tried as (typeof candidates)[number]] }) };
};
const newWatch = "/watches/new?url=https%3A%2F%2Fshop.example%2F";

it("makes a watch of the chosen rows, with filters in minor units", async () => {
  const { bodies } = open(newWatch, {
    "POST /api/watches/preview": preview,
    "POST /api/watches": { status: 201, body: { watch: aWatch() } },
    "GET /api/watches/7": { body: { watch: aWatch() } },
    "GET /api/watches/7/results": { body: { items: [], next: null, asOf: null, total: 0 } },
  });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("radio", { name: /Lenses/ }));
  await screen.findByRole("rowheader", { name: "Lenses" });
  await user.click(screen.getByRole("radio", { name: /Leica/ }));
  const table = screen.getByRole("region", { name: "Preview" });
  expect(within(table).getByRole("row", { name: /Leica M3/ }).textContent).toContain("no price");

  await user.type(screen.getByLabelText("Highest price (JPY)"), "300,000");
  await waitFor(() => expect(screen.getAllByText("1 of 2 rows")).not.toEqual([]));
  await user.click(screen.getByRole("button", { name: "Watch this page" }));
  screen.getByText("Read the terms of the site, and confirm that they permit this.");
  expect(bodies("POST /api/watches")).toEqual([]);
  await user.click(screen.getByLabelText("I've read the terms, and they allow this"));
  await user.click(screen.getByRole("button", { name: "Watch this page" }));
  await screen.findByText("Watching Leica M6");
  expect(location.pathname).toBe("/watches/7");
  expect(bodies("POST /api/watches")).toEqual([
    {
      settings: {
        name: "Leica M6 – Shop",
        url: "https://shop.example/search?q=m6",
        layout: candidates[0]?.layout,
        max: 300_000,
      },
      interval: 60,
      folderIds: [],
      accepted: true,
    },
  ]);
});

it("assigns a part of a row to a field, and takes it away again, by keys", async () => {
  const { bodies } = open(newWatch, { "POST /api/watches/preview": preview });
  const user = userEvent.setup();
  const part = await screen.findByRole("button", { name: /¥289,000 Price/ });
  part.focus();
  await user.keyboard("{Enter}{ArrowDown}");
  expect(document.activeElement?.textContent).toBe("Price");
  expect(document.activeElement?.getAttribute("aria-checked")).toBe("true");
  await user.keyboard("{Enter}");
  await screen.findByRole("button", { name: /¥289,000 unused/ });
  expect(document.activeElement).toBe(screen.getByRole("button", { name: /¥289,000 unused/ }));
  await waitFor(() => {
    const last = bodies("POST /api/watches/preview").at(-1) as { layout: unknown };
    expect(last.layout).toEqual({ rows: "li.item", fields: { title: "h3" } });
  });
});

it("takes back exact dates of sales where the pages of single entries do not tell them", async () => {
  const { bodies } = open(newWatch, {
    "POST /api/watches/preview": ({ body }: { body: unknown }) => {
      const { settings } = body as { settings?: { details?: boolean } };
      return { body: aPreview({ candidates, canReadDetails: settings?.details ? false : null }) };
    },
  });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("checkbox", { name: /Exact dates of sales/ }));
  await screen.findByText("The pages of single entries do not tell when something was sold.");
  expect(screen.queryByRole("checkbox", { name: /Exact dates of sales/ })).toBeNull();
  await waitFor(() =>
    expect(bodies("POST /api/watches/preview").at(-1)).not.toHaveProperty("settings.details"),
  );
  expect((screen.getByLabelText("Pages to read") as HTMLSelectElement).value).toBe("5");
});

it("says of a price that it is the lower end of a range, and that the page was found anew", async () => {
  const watch = aWatch();
  watch.settings = { ...watch.settings, found: 1_795_000_000 };
  watch.lowest = { price: 289_000, isFrom: true, currency: "JPY", resultId: "a1" };
  open("/watches/7", {
    "GET /api/watches/7": { body: { watch } },
    "GET /api/watches/7/results": {
      body: { items: [aResult({ isFrom: true })], next: null, asOf: null, total: 1 },
    },
  });
  await screen.findByText(/The list was found again by itself \(Nov 18/);
  expect((await screen.findByRole("row", { name: /Leica M6/ })).textContent).toContain(
    "from ¥289,000",
  );
  screen.getByText("from ¥289,000", { selector: ".amount" });
});

it("does not offer to watch a page that programs may not read", async () => {
  const problem = {
    code: "robots",
    message: "Not allowed.",
    help: "Look for a feed.",
    since: null,
  };
  const robots = { allowed: false, crawlDelay: 0 };
  open(newWatch, {
    "POST /api/watches/preview": {
      body: aPreview({ previewId: null, candidates: [], problem, robots }),
    },
  });
  await screen.findByText("Not allowed.");
  screen.getByText("robots.txt asks programs not to read this page.");
  screen.getByRole("link", { name: "Enter another address" });
  expect(screen.queryByRole("button", { name: "Watch this page" })).toBeNull();
  expect(screen.queryByRole("checkbox", { name: /permitted/ })).toBeNull();
});

it("shows results with the lowest marked, filters them, and opens the prices of one", async () => {
  const event = anItem({ id: "55", feedId: "7", offer: anOfferOfItem() });
  const prices: [number, number][] = [
    [1_794_000_000, 320_000],
    [1_795_000_000, 289_000],
  ];
  const { queries } = open("/watches/7", {
    "GET /api/watches/7": { body: { watch: aWatch() } },
    "GET /api/watches/7/results": {
      body: {
        items: [aResult({ prices }), aResult({ id: "a2", name: "Leica M3", price: 300_000 })],
        next: null,
        asOf: "2026-11-21T11:00:00Z",
        total: 2,
      },
    },
    "GET /api/watches/7/results/a1": { body: { result: aResult({ prices }), events: [event] } },
  });
  const user = userEvent.setup();
  const [first, second] = (await screen.findAllByRole("rowheader")).map((one) => one.closest("tr"));
  expect(first?.textContent).toMatch(/^Lowest¥289,000Leica M6On sale/);
  expect(second?.textContent).not.toContain("Lowest");
  await user.click(screen.getByRole("button", { name: "Leica M6" }));
  const link = await screen.findByRole("link", { name: /Price drop/ });
  expect(link.textContent).toContain("¥320,000 → ¥289,000 (−10%)");
  expect(link.getAttribute("href")).toBe("/feed/7/i/55");
  screen.getByText("−¥31,000");

  await user.type(screen.getByLabelText("Up to (JPY)"), "290000");
  await user.selectOptions(screen.getByLabelText("Status"), "Sold");
  await waitFor(() =>
    expect(queries("GET /api/watches/7/results").at(-1)?.toString()).toBe(
      "status=sold&sort=price&max=290000",
    ),
  );
  const csv = screen.getByRole("link", { name: "CSV" }).getAttribute("href");
  expect(csv).toBe("/api/watches/7/results?format=csv&status=sold&sort=price&max=290000");
});

it("shows the first results when the first check is over", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  let isChecked = false;
  open("/watches/7", {
    "GET /api/watches/7": () => ({
      body: { watch: isChecked ? aWatch() : aWatch({ lastCheckedAt: null, lowest: null }) },
    }),
    "GET /api/watches/7/results": () => {
      const items = isChecked ? [aResult()] : [];
      return { body: { items, next: null, asOf: null, total: items.length } };
    },
  });
  await screen.findByText("The page has not been checked yet");
  isChecked = true;
  await vi.advanceTimersByTimeAsync(5_000);
  await screen.findByRole("rowheader", { name: /Leica M6/ });
  vi.useRealTimers();
});

it("speaks of the days of a trend as arrow keys move along them, and has them as a table", async () => {
  const days = [
    aDay({ day: "2026-11-19", lowest: null, p25: null, median: null, p75: null, onSale: 0 }),
    aDay({ day: "2026-11-20", sold: 2, soldMedian: 295_000 }),
  ];
  open("/watches/7/trend?range=90d", {
    "GET /api/watches/7": { body: { watch: aWatch() } },
    "GET /api/watches/7/trend": ({ url }) =>
      url.searchParams.get("range") === "90d"
        ? { body: { currency: "JPY", days } }
        : { body: { currency: null, days: [] } },
  });
  const user = userEvent.setup();
  const slider = await screen.findByRole<HTMLInputElement>("slider", { name: "Day" });
  expect(slider.getAttribute("aria-valuetext")).toBe(
    "Fri, Nov 20, 2026: lowest ¥289,000, middle half ¥300,000 – ¥330,000, 12 on sale, 2 sold, median ¥295,000",
  );
  expect([slider.min, slider.max, slider.value]).toEqual(["0", "1", "1"]);
  await user.click(screen.getByText("Show as table"));
  const [, newest, oldest] = await screen.findAllByRole("row");
  expect(newest?.textContent).toBe("Fri, Nov 20, 2026¥289,000¥300,000¥310,000¥330,000122¥295,000");
  expect(oldest?.textContent).toBe("Thu, Nov 19, 2026––––00–");
});
