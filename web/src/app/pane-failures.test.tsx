import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { openApp } from "@/testing/app";
import { aBeginning, aFeed, aFullItem, anItem } from "@/testing/fixtures";
import { problem } from "@/testing/server";

const items = [anItem({ id: "1", title: "One" }), anItem({ id: "2", title: "Two" })];
const list = (changed: object = {}) => ({
  body: { items: [{ ...items[0], ...changed }, items[1]], nextCursor: null },
});
const article = { body: { item: aFullItem({ id: "1", title: "One" }) } };
const state = { body: { results: [] } };
/** Values that no server sends: rendering them throws. */
const broken = { categories: 7, enclosures: 7, title: {} };

const pane = (name: string) => within(document.querySelector<HTMLElement>(`.${name}`) as never);
const paneFails = (name: string) =>
  waitFor(() => pane(name).getByText("Something went wrong in this part of the page."));
const titles = () => [...document.querySelectorAll(".row .title a")].map((a) => a.textContent);

const side = vi.hoisted(() => ({ isBroken: false }));
vi.mock("@/features/reader/side/places", async (load) => {
  const places = await load<typeof import("@/features/reader/side/places")>();
  const { Places } = places;
  type Props = Parameters<typeof Places>[0];
  return {
    ...places,
    Places: (props: Props) => {
      if (side.isBroken) throw new Error("broken");
      return <Places {...props} />;
    },
  };
});

beforeEach(() => {
  side.isBroken = false;
});
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));

it("keeps list and side bar when the article fails, and loads the article again", async () => {
  let answer: { body: unknown } = { body: { item: { ...article.body.item, enclosures: 7 } } };
  openApp("/all/i/1", {
    "GET /api/items": list(),
    "GET /api/items/1": () => answer,
    "POST /api/items/state": state,
  });
  await paneFails("article-pane");
  pane("article-pane").getByText(/^TypeError/);
  expect(document.activeElement).not.toBe(document.body);
  expect(titles()).toEqual(["One", "Two"]);
  await waitFor(() => pane("side").getByText("Example"));
  answer = article;
  await userEvent.click(screen.getByText("Reload this part"));
  await waitFor(() => pane("article-pane").getByText("本文"));
});

it("keeps the others when a list fails, and gives another list another chance", async () => {
  let changed: object = broken;
  const feeds = [aFeed({ id: "1", title: "Plain" }), aFeed({ id: "2", title: "Spoken" })];
  openApp("/feed/2", {
    "GET /api/me": { body: { ...aBeginning(), feeds } },
    "GET /api/feeds/1/items": list(),
    "GET /api/feeds/2/items": () => list(changed),
  });
  await paneFails("list-pane");
  await userEvent.click(await waitFor(() => pane("side").getByText("Plain")));
  await waitFor(() => expect(titles()).toEqual(["One", "Two"]));
  await userEvent.click(pane("side").getByText("Spoken"));
  await paneFails("list-pane");
  changed = {};
  await userEvent.click(screen.getByText("Reload this part"));
  await waitFor(() => expect(titles()).toEqual(["One", "Two"]));
});

it("keeps list and article when the side bar fails", async () => {
  side.isBroken = true;
  openApp("/all", {
    "GET /api/items": list(),
    "GET /api/items/1": article,
    "POST /api/items/state": state,
  });
  await paneFails("side");
  await userEvent.click(await screen.findByText("One"));
  await waitFor(() => pane("article-pane").getByText("本文"));
});

it("loads a list by itself when the server no longer limits the requests", async () => {
  let asked = 0;
  openApp("/all", {
    "GET /api/items": () => {
      asked += 1;
      if (asked > 1) return list();
      return { ...problem(429, "rate_limited", "system"), headers: { "Retry-After": "2" } };
    },
  });
  await screen.findByText("The server is busy. The rest will load automatically.");
  expect(pane("list-pane").queryByRole("alert"), "a pause is no error").toBeNull();
  await waitFor(() => expect(titles()).toEqual(["One", "Two"]));
});
