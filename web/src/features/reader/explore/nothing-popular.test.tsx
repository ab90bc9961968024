import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { aBeginning } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { NothingPopular } from "./nothing-popular";

const explored = { tab: "hot", threshold: 50, period: "week" } as const;

it("says to the owner what counts would do, and where to switch them on", async () => {
  mockServer({ "GET /api/me": { body: aBeginning({ isOwner: true }) } });
  renderApp(<NothingPopular explored={explored} counts="off" />);
  const link = await screen.findByRole("link", { name: "Settings for bookmark counts" });
  expect(link.getAttribute("href")).toBe("/settings/popularity");
  expect(screen.getByText(/links of articles are sent to Hatena/)).toBeTruthy();
});

it("names the owner to everybody else", async () => {
  mockServer({ "GET /api/me": { body: aBeginning() } });
  renderApp(<NothingPopular explored={explored} counts="off" />);
  await screen.findByText("The owner of this server can switch them on.");
});

it("asks to wait for the first counts", () => {
  mockServer({ "GET /api/me": { body: aBeginning() } });
  renderApp(<NothingPopular explored={explored} counts="collecting" />);
  expect(screen.getByText("The first counts arrive within about an hour.")).toBeTruthy();
});

it("offers fewer bookmarks and older articles", () => {
  mockServer({ "GET /api/me": { body: aBeginning() } });
  renderApp(<NothingPopular explored={explored} counts="ready" />);
  const links = screen.getAllByRole("link").map((link) => link.getAttribute("href"));
  expect(links).toEqual(["/explore/hot?n=10", "/explore/hot?n=50&p=all"]);
});
