import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { activateLocale, loadPart } from "@/i18n/locale";
import { settingsCatalog } from "@/i18n/settings-catalog";
import { renderApp } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { Adapters } from "./adapters";

const shop = {
  name: "shop",
  version: 2,
  hosts: ["shop.example"],
  terms: null,
  currency: null,
  asks: ["keyword"],
};

beforeEach(async () => {
  await activateLocale("en");
  await loadPart(settingsCatalog);
});

it("lists the adapters, and how to add one", async () => {
  mockServer({ "GET /api/adapters": { body: { adapters: [shop] } } });
  renderApp(<Adapters />);
  await screen.findByText("shop.example · version 2");
  screen.getByText("ruri watch test --save FILE");
  expect(screen.queryByRole("textbox")).toBeNull();
});

it("deletes an adapter after a confirmation", async () => {
  const { calls } = mockServer({
    "GET /api/adapters": { body: { adapters: [shop] } },
    "DELETE /api/adapters/shop": { status: 204 },
  });
  const user = userEvent.setup();
  renderApp(<Adapters />);
  const link = await screen.findByRole("link", { name: "Download: shop" });
  expect(link.getAttribute("href")).toBe("/api/adapters/shop");
  await user.click(screen.getByRole("button", { name: "Delete: shop" }));
  const deleted = () => calls.some(({ route }) => route === "DELETE /api/adapters/shop");
  expect(deleted()).toBe(false);
  await user.click(screen.getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(deleted()).toBe(true));
});
