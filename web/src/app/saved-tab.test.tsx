import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { flags } from "@/data/flags";
import { closeOutbox } from "@/data/item-state";
import type { Label } from "@/data/types";
import { openApp } from "@/testing/app";
import { aBeginning, aFeed, anItem } from "@/testing/fixtures";

const feed = aFeed({ id: "1", title: "Plain Notes" });
const later = { id: "5", name: "Read later", isReadLater: true } as Label;

afterEach(async () => {
  flags.clear();
  await closeOutbox(true);
});

function openPhone(path: string, labels: Label[]) {
  const plain = matchMedia;
  vi.stubGlobal("matchMedia", (query: string) => ({
    ...plain(query),
    matches: query.includes("max-width: 767px"),
  }));
  const bar = { feeds: [feed], totals: { feeds: 1, unread: 1, starred: 1 }, limits: { feeds: 10 } };
  return openApp(path, {
    "GET /api/me": { body: { ...aBeginning(), ...bar, tree: { folders: [], labels } } },
    "GET /api/feeds": { body: bar },
    "GET /api/items": {
      body: { items: [anItem({ id: "101", feedId: "1" })], nextCursor: null, asOf: "x" },
    },
  });
}

const tab = async () => within(await screen.findByRole("navigation", { name: "Navigation" }));

it("leads to what to read later, and from there to the stars and back", async () => {
  openPhone("/all", [later]);
  const saved = await (await tab()).findByRole("link", { name: "Saved" });
  expect(saved.getAttribute("href")).toBe("/label/5");
  await userEvent.click(saved);
  const which = within(await screen.findByRole("group", { name: "Saved" }));
  expect(which.getByRole("button", { name: "Read later" }).ariaPressed).toBe("true");
  await userEvent.click(which.getByRole("button", { name: "Starred" }));
  await waitFor(() => expect(location.pathname).toBe("/starred"));
  await userEvent.click(await screen.findByRole("button", { name: "Read later", pressed: false }));
  await waitFor(() => expect(location.pathname).toBe("/label/5"));
});

it("leads to the stars where nothing is kept to be read later", async () => {
  openPhone("/all", []);
  const saved = await (await tab()).findByRole("link", { name: "Saved" });
  expect(saved.getAttribute("href")).toBe("/starred");
});
