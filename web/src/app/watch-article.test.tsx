import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { openApp } from "@/testing/app";
import { aBeginning, aFeed, aFullItem, anItem } from "@/testing/fixtures";

const feed = aFeed({ id: "7", title: "急須" });
const offer = {
  event: "dropped" as const,
  watchId: "7",
  resultId: "r1",
  price: 9_990,
  before: 12_800,
  currency: "JPY",
  status: "onSale" as const,
};
const item = anItem({ id: "55", feedId: "7", title: "南部鉄器の急須", snippet: "¥9,990", offer });

it("shows an item of a watch as an offer, not as a summary of something", async () => {
  const bar = {
    feeds: [feed],
    totals: { feeds: 1, unread: 1, starred: 0 },
    limits: { feeds: 100 },
  };
  openApp("/feed/7/i/55", {
    "GET /api/me": { body: { ...aBeginning(), ...bar } },
    "GET /api/feeds": { body: bar },
    "GET /api/feeds/7/items": { body: { items: [item], nextCursor: null, asOf: "x" } },
    "GET /api/items/55": {
      body: { item: aFullItem({ ...item, contentState: "summary", contentHtml: "" }) },
    },
    "GET /api/watches/7/results/r1": { body: { result: { prices: [] }, events: [] } },
    "POST /api/items/state": { body: { items: [], feeds: [], totals: bar.totals, undo: null } },
  });
  const all = await screen.findByRole("link", { name: "All results" }, { timeout: 10_000 });
  expect(all.getAttribute("href")).toBe("/watches/7");
  // Once: the title has no price beside it.
  expect(document.querySelectorAll(".article-pane .row-price")).toHaveLength(1);
  expect(document.querySelector(".article-pane .offer")).toBeNull();
  expect(screen.queryByText(/only provides a summary|has no text/)).toBeNull();
  expect(screen.queryByRole("button", { name: "Load full article" })).toBeNull();
});
