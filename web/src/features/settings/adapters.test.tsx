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

it("saves what was pasted or chosen, and says which field is wrong", async () => {
  let isRefused = true;
  const { calls } = mockServer({
    "GET /api/adapters": { body: { adapters: [shop] } },
    "PUT /api/adapters/shop": () =>
      isRefused
        ? {
            status: 400,
            body: {
              code: "adapter_invalid",
              category: "validation",
              message: "The adapter has an error.",
              details: [{ field: "pace", message: "from 5 to 60 seconds" }],
            },
          }
        : { status: 204 },
  });
  const user = userEvent.setup();
  renderApp(<Adapters />);
  await screen.findByText("shop.example · version 2");
  const field = screen.getByLabelText("Adapter as JSON");
  const save = screen.getByRole("button", { name: "Save" });
  for (const [text, message] of [
    ["{", "This is not valid JSON."],
    ["{}", "“name” is missing."],
  ] as const) {
    await user.clear(field);
    await user.click(field);
    await user.paste(text);
    await user.click(save);
    await screen.findByText(message, { exact: false });
  }
  const put = () => calls.filter(({ route }) => route === "PUT /api/adapters/shop");
  expect(put()).toEqual([]);

  const file = new File(['{"name":"shop","pace":90}'], "shop.json", { type: "application/json" });
  await user.upload(screen.getByLabelText("Adapter file"), file);
  await waitFor(() => expect(field).toHaveProperty("value", '{"name":"shop","pace":90}'));
  await user.click(save);
  await screen.findByText(": from 5 to 60 seconds");
  expect(screen.getByText("pace").tagName).toBe("CODE");
  expect(field).toHaveProperty("value", '{"name":"shop","pace":90}');

  isRefused = false;
  await user.click(save);
  await waitFor(() => expect(field).toHaveProperty("value", ""));
  expect(put().at(-1)?.body).toEqual({ name: "shop", pace: 90 });
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
