import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import { flags } from "@/data/flags";
import { closeOutbox } from "@/data/item-state";
import { forgetOpened, noteOpened } from "@/data/recent";
import { navigate } from "@/data/use-route";
import { openApp } from "@/testing/app";
import { aBeginning, aFeed, aFullItem, anItem } from "@/testing/fixtures";

const feed = aFeed({ id: "1", title: "Plain Notes" });
const items = ["101", "102", "103"].map((id) =>
  anItem({ id, feedId: feed.id, title: `Tea ${id}`, isRead: true }),
);

afterEach(async () => {
  forgetOpened();
  flags.clear();
  localStorage.clear();
  await closeOutbox(true);
});

function open(path: string, gone: readonly string[] = []) {
  const bar = { feeds: [feed], totals: { feeds: 1, unread: 0, starred: 0 }, limits: { feeds: 10 } };
  const full = items.map((one) => aFullItem({ ...one, contentHtml: `<p>Text of ${one.id}</p>` }));
  localStorage.setItem("ruri.user", "u1");
  return openApp(path, {
    "GET /api/me": { body: { ...aBeginning(), ...bar } },
    "GET /api/feeds": { body: bar },
    "GET /api/items": { body: { items, nextCursor: null, asOf: "x" } },
    "GET /api/items/bodies": ({ url }) => {
      const ids = (url.searchParams.get("ids") ?? "").split(",");
      const found = ids.flatMap((id) => full.filter((one) => one.id === id && !gone.includes(id)));
      return { body: { items: found, rest: [], missing: ids.filter((id) => gone.includes(id)) } };
    },
    ...Object.fromEntries(full.map((item) => [`GET /api/items/${item.id}`, { body: { item } }])),
  });
}

const rows = () =>
  [...document.querySelectorAll(".list-pane .row a")].map((row) => row.textContent).filter(Boolean);

it("lists what was opened on this device, the last one first", async () => {
  open("/all/i/101?v=read");
  await screen.findByText("Text of 101");
  await userEvent.keyboard("j");
  await screen.findByText("Text of 102");
  await userEvent.keyboard("k");
  await screen.findByText("Text of 101");
  navigate("/recent?v=read");
  await screen.findByRole("heading", { name: "Recently read" });
  await waitFor(() => expect(rows()).toEqual(["Tea 101", "Tea 102"]));
});

it("leaves out what is gone, and what somebody else opened", async () => {
  localStorage.setItem("ruri.user", "u0");
  noteOpened("103");
  localStorage.setItem("ruri.user", "u1");
  noteOpened("101");
  noteOpened("102");
  const { calls } = open("/recent?v=read", ["102"]);
  await waitFor(() => expect(rows()).toEqual(["Tea 101"]));
  const asked = calls.find(({ route }) => route === "GET /api/items/bodies");
  expect(asked?.search).toBe("?ids=102%2C101");
});

it("asks for nothing where nothing was opened, and says so", async () => {
  const { calls } = open("/recent");
  await screen.findByText("Nothing read yet");
  expect(calls.some(({ route }) => route === "GET /api/items/bodies")).toBe(false);
});
