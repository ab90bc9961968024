import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import { flags } from "@/data/flags";
import { closeOutbox } from "@/data/item-state";
import type { Label } from "@/data/types";
import { openApp } from "@/testing/app";
import { aBeginning, aFeed, aFullItem, anItem } from "@/testing/fixtures";

afterEach(async () => {
  flags.clear();
  await closeOutbox(true);
});

function open(count: number, path = "/all", routes: Parameters<typeof openApp>[1] = {}) {
  const names = ["Go Weekly", "Café Notes", "技術の夜"];
  const feeds = Array.from({ length: count }, (_, at) =>
    aFeed({ id: String(at + 1), title: names[at] ?? `Feed ${at + 1}` }),
  );
  const bar = { feeds, totals: { feeds: count, unread: 0, starred: 0 }, limits: { feeds: 100 } };
  return openApp(path, {
    "GET /api/me": { body: { ...aBeginning(), ...bar } },
    "GET /api/feeds": { body: bar },
    "GET /api/items": { body: { items: [], nextCursor: null, asOf: "x" } },
    ...routes,
  });
}

const shown = () =>
  [...document.querySelectorAll<HTMLElement>('.side-link[data-kind="feed"]')].map(
    (row) => row.dataset.name,
  );

it("filters the feeds from forty on, and Escape shows all again", async () => {
  open(40);
  const field = await screen.findByRole("searchbox", { name: "Filter feeds" });
  await waitFor(() => expect(shown()).toHaveLength(40));
  const user = userEvent.setup();
  await user.type(field, "cafe");
  expect(shown()).toEqual(["Café Notes"]);
  await user.clear(field);
  await user.type(field, "技術");
  expect(shown()).toEqual(["技術の夜"]);
  await user.keyboard("{Escape}");
  expect(shown()).toHaveLength(40);
});

it("has no field for fewer feeds", async () => {
  open(39);
  await waitFor(() => expect(shown()).toHaveLength(39));
  expect(screen.queryByRole("searchbox", { name: "Filter feeds" })).toBeNull();
});

it("b keeps the open article to read it later, and makes the label first", async () => {
  const label = { id: "5", name: "Read later", isReadLater: true } as Label;
  const item = aFullItem({ id: "101", feedId: "1", title: "Tea", contentHtml: "<p>Text</p>" });
  const { calls } = open(1, "/all/i/101?v=read", {
    "GET /api/items": {
      body: { items: [anItem({ id: "101", feedId: "1", title: "Tea" })], nextCursor: null },
    },
    "GET /api/items/101": { body: { item } },
    // It is marked read when it opens; a refusal would replace the toast.
    "POST /api/items/state": { body: { results: [], totals: { unread: 0, starred: 0 } } },
    "PUT /api/read-later": { body: { labels: [label] } },
    "PUT /api/items/101/labels": { body: { labels: ["5"] } },
  });
  await screen.findByText("Text");
  await userEvent.keyboard("b");
  await screen.findByText("Saved to Read later");
  const sent = () => calls.filter(({ route }) => route === "PUT /api/items/101/labels");
  await waitFor(() => expect(sent().map(({ body }) => body)).toEqual([{ labels: ["5"] }]));
  await userEvent.keyboard("b");
  await screen.findByText("Removed from Read later");
  await waitFor(() => expect(sent().at(-1)?.body).toEqual({ labels: [] }));
});

it("says by g b that nothing is kept to be read later, and turns it on", async () => {
  const label = { id: "5", name: "Read later", isReadLater: true } as Label;
  open(1, "/all", {
    "PUT /api/read-later": { body: { labels: [label] } },
    "GET /api/labels/5/items": { body: { items: [], nextCursor: null, asOf: "x" } },
  });
  await waitFor(() => expect(shown()).toHaveLength(1));
  await userEvent.keyboard("gb");
  const toast = (await screen.findByText("Read later is off")).closest(".toast");
  await userEvent.click(within(toast as HTMLElement).getByRole("button", { name: "Turn on" }));
  await waitFor(() => expect(location.pathname).toBe("/label/5"));
});
