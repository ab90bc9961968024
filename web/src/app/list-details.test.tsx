import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import { closeOutbox } from "@/data/item-state";
import { openApp } from "@/testing/app";
import { aBeginning, aFeed, anItem } from "@/testing/fixtures";

const feeds = ["1", "2", "3", "4"].map((id) =>
  aFeed({
    id,
    title: `Feed ${id}`,
    unreadCount: 1,
    hasUnread: true,
    lastCheckedAt: "2026-01-02T03:04:05Z",
  }),
);
const list = { feeds, totals: { feeds: 4, unread: 4, starred: 0 }, limits: { feeds: 10 } };

afterEach(() => closeOutbox(true));

function openFeed(path: string) {
  return openApp(path, {
    "GET /api/me": { body: { ...aBeginning(), ...list, tree: { folders: [], labels: [] } } },
    "GET /api/feeds": { body: list },
    ...Object.fromEntries(
      feeds.map(({ id }) => [
        `GET /api/feeds/${id}/items`,
        { body: { items: [anItem({ id: `${id}01`, feedId: id })], nextCursor: null, asOf: "x" } },
      ]),
    ),
  });
}

it("says when a feed is checked in tooltips alone", async () => {
  openFeed("/feed/1");
  await userEvent.click(await screen.findByRole("button", { name: "List actions" }));
  for (const name of [/^Refresh now/, /^Details/])
    expect(screen.getByRole("menuitem", { name }).title).toMatch(/^Checked /);
  expect(screen.queryByText(/Checked/)).toBeNull();
});

it("loads the next two feeds in Stream, with their first texts", async () => {
  const server = openFeed("/feed/1?v=stream");
  const asked = () => server.calls.map(({ route, search }) => `${route}${search}`).join("\n");
  await waitFor(() => expect(asked()).toMatch(/feeds\/2\/items[\s\S]*feeds\/3\/items/));
  await waitFor(() => expect(asked()).toMatch(/bodies\?ids=.*201.*/));
  expect(asked()).not.toMatch(/feeds\/4\/items/);
});
