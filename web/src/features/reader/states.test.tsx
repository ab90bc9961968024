import { i18n } from "@lingui/core";
import { act, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { noteReached } from "@/data/connection";
import type { Stream } from "@/data/routes";
import type { Feed, Filter } from "@/data/types";
import { checksText } from "@/i18n/interval-text";
import { aBeginning, aFeed } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { ShareTargetDialog } from "./article/share-target-dialog";
import { EmptyList } from "./deferred/list-states";
import { NotSubscribed } from "./deferred/not-subscribed";

it("shows the places of an address in braces", () => {
  renderApp(<ShareTargetDialog target={null} onClose={() => undefined} />);
  expect(screen.getByText("{url}").localName).toBe("code");
  expect(screen.getByText("{title}").localName).toBe("code");
});

it("offers to subscribe or to go back where one is not subscribed to a feed", () => {
  renderApp(<NotSubscribed />);
  expect(screen.getByRole("button", { name: "Add a feed" })).toBeTruthy();
  expect(screen.getByRole("link", { name: "Go to all articles" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
});

it("does not say that all is read when other articles are not on this device", async () => {
  mockServer({ "GET /api/me": { body: aBeginning() } });
  const feed = aFeed();
  try {
    renderApp(
      <EmptyList
        route={{
          screen: "reader",
          stream: { kind: "feed", id: feed.id },
          filter: "unread",
          item: null,
          mode: null,
          order: null,
        }}
        feed={feed}
        hasFeeds
        onImport={() => undefined}
      />,
    );
    expect(await screen.findByText(/caught up/)).toBeTruthy();
    act(() => noteReached(false));
    expect(await screen.findByText("No articles on this device")).toBeTruthy();
    expect(screen.queryByText(/caught up/)).toBeNull();
  } finally {
    noteReached(true);
  }
});

it("says in each empty list what to do next", async () => {
  const labels = [
    { id: "l1", name: "Read later", isReadLater: true },
    { id: "l2", name: "Work", isReadLater: false },
  ];
  mockServer({
    "GET /api/me": { body: aBeginning() },
    "GET /api/folders": { body: { folders: [] } },
    "GET /api/labels": { body: { labels } },
  });
  const feed = aFeed();
  const lists: [Stream, Filter, RegExp | string, Feed?][] = [
    [{ kind: "all" }, "all", "Add a feed"],
    [{ kind: "all" }, "unread", "Show all articles"],
    [{ kind: "folder", id: "f1" }, "all", "Add a feed"],
    [{ kind: "folder", id: "f1" }, "unread", "Show all articles"],
    [{ kind: "feed", id: feed.id }, "all", "Check now", feed],
    [{ kind: "feed", id: feed.id }, "all", /in about a minute/, aFeed({ status: "waiting" })],
    [{ kind: "feed", id: feed.id }, "starred", /or the star on an article/, feed],
    [{ kind: "starred" }, "all", /or the star on an article/],
    [{ kind: "recent" }, "all", "Show all articles"],
    [{ kind: "label", id: "l1" }, "all", /or the clock on an article/],
    [{ kind: "label", id: "l2" }, "all", /Labels… in the menu of an article/],
  ];
  for (const [stream, filter, next, of] of lists) {
    const { unmount } = renderApp(
      <EmptyList
        route={{ screen: "reader", stream, filter, item: null, mode: null, order: null }}
        feed={of}
        hasFeeds
        onImport={() => undefined}
      />,
    );
    expect(await screen.findByText(next), JSON.stringify(stream)).toBeTruthy();
    unmount();
  }
});

it("says how often a feed is checked, and whose choice it is", () => {
  const every = (minutes: number, code: string, own = 0) =>
    checksText(
      aFeed({
        intervalMinutes: minutes,
        ownIntervalMinutes: own,
        intervalReason: { code, message: "" },
      }),
      i18n,
    );
  expect(every(60, "default")).toBe("Checks every hour");
  expect(every(120, "asked", 120)).toBe("Checks every 2 hours (your choice)");
  expect(every(300, "budget", 60)).toBe("Every 5 hours: the monthly cost limit is near");
  expect(every(30, "asked")).toBe("Checks every 30 min (another subscriber's choice)");
});
