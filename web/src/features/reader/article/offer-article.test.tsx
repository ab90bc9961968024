import { screen } from "@testing-library/react";
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

it("has the prices of 90 days, the picture and the seller, and the price of the heading not again", async () => {
  const ago = (days: number) => Math.floor(Date.now() / 1000) - days * 86_400;
  mockServer({
    "GET /api/watches/5/results/r1": {
      body: {
        result: {
          prices: [
            [ago(200), 15_000],
            [ago(60), 12_000],
            [ago(1), 9_800],
          ],
        },
        events: [],
      },
    },
  });
  const item = anItem({
    offer,
    author: "Mori",
    imageUrl: "https://shop.example/1.jpg",
    snippet: "¥9,800",
  });
  const { container } = renderApp(<OfferArticle item={item} offer={offer} showImages lang="en" />);
  await screen.findByText("¥9,800 to ¥15,000 in the last 90 days");
  expect(container.querySelector(".spark path")).toBeTruthy();
  expect(container.querySelector("img")?.getAttribute("src")).toBe("https://shop.example/1.jpg");
  expect(screen.getByText("Mori")).toBeTruthy();
  expect(screen.queryByText("¥9,800")).toBeNull();
});
