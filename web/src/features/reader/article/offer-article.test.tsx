import { fireEvent, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Offer } from "@/data/watches";
import { anItem } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { OfferArticle } from "./offer-article";

const offer: Offer = {
  event: "dropped",
  watchId: "5",
  resultId: "r1",
  price: 9_800,
  before: 12_000,
  currency: "JPY",
  status: "onSale",
};

const day = 86_400;
const ago = (days: number) => Math.floor(Date.now() / 1000) - days * day;

function show(over: Partial<Offer>, prices: [number, number | null][]) {
  const body = { result: { prices }, events: [] };
  mockServer({ "GET /api/watches/5/results/r1": { body } });
  const item = anItem({
    offer: { ...offer, ...over },
    author: "Mori",
    link: "https://shop.example/1",
  });
  return renderApp(<OfferArticle item={item} offer={{ ...offer, ...over }} lang="en" />).container;
}

it("says the price before and now, how good it is, and leads to the shop, the alert and the results", async () => {
  const container = show({}, [
    [ago(200), 13_000],
    [ago(60), 12_000],
    [ago(1), 9_800],
  ]);
  await screen.findByText("The lowest price in 90 days");
  expect(container.querySelector(".row-price")?.textContent).toBe("¥12,000 → ¥9,800−18%");
  const href = (name: string) => screen.getByRole("link", { name }).getAttribute("href");
  expect(href("Open at the shop")).toBe("https://shop.example/1");
  expect(href("Change the alert")).toBe("/watches/5/edit");
  expect(href("All results")).toBe("/watches/5");
});

it("draws the prices of 90 days, or of a year", async () => {
  show({}, [
    [ago(200), 9_000],
    [ago(60), 12_000],
    [ago(1), 9_800],
  ]);
  await screen.findByRole("img", { name: "¥9,000 to ¥12,000" });
  fireEvent.click(screen.getByRole("button", { name: "30 days" }));
  screen.getByRole("img", { name: "¥9,800 to ¥12,000" });
  fireEvent.click(screen.getByRole("button", { name: "1 year" }));
  screen.getByRole("img", { name: "¥9,000 to ¥12,000" });
});

it("has no prices and no shop where nothing is sold", async () => {
  show({ price: null, before: null, currency: "", event: "new" }, []);
  await screen.findByText("New");
  expect(screen.getByRole("link", { name: "Open original" })).toBeTruthy();
  expect(screen.queryByRole("heading", { name: "Price" })).toBeNull();
});
