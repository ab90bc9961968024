import { act, renderHook, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { feedsQuery } from "@/data/feeds";
import type { Refresh } from "@/data/mutations/refresh-list";
import { treeQuery } from "@/data/tree";
import { aFeed, aReport } from "@/testing/fixtures";
import { testClient } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { forgetUndos, undoLast, useToast } from "@/ui/toasts";
import { refresh, unsubscribe } from "./action-handlers";

afterEach(forgetUndos);

const feed = aFeed({
  id: "9",
  customTitle: "Mine",
  folder: "News",
  folders: ["3"],
  position: 4,
  ownIntervalMinutes: 180,
  isMuted: true,
  fullText: true,
  notify: true,
  neverCount: true,
});
const bulk = "POST /api/subscriptions/bulk";

function begin(path: string, answer: unknown = { results: [{ id: "9", ok: true }] }) {
  history.replaceState(null, "", path);
  const client = testClient();
  client.setQueryData(feedsQuery.queryKey, {
    feeds: [feed, aFeed()],
    totals: { feeds: 2, unread: 0, starred: 0 },
    limits: { feeds: 100 },
  });
  client.setQueryData(treeQuery.queryKey, { folders: [], labels: [] });
  const { calls } = mockServer({
    [bulk]: answer instanceof Error ? answer : { body: answer },
    "POST /api/import/opml": { body: aReport() },
    "DELETE /api/imports/1": { status: 204 },
  });
  const known = () => client.getQueryData(feedsQuery.queryKey)?.feeds.map(({ id }) => id);
  return { client, calls, known };
}

it("leaves a feed with the page that shows it, and comes back to it with all its settings", async () => {
  const { client, calls, known } = begin("/feed/9?f=unread");
  const done = unsubscribe(client, feed);
  expect([location.pathname, known()], "at once").toEqual(["/all", ["1"]]);
  await done;
  expect(undoLast()).toBe(true);
  await waitFor(() => expect(location.pathname).toBe("/feed/9"));
  const sent = calls.filter((call) => call.route === bulk);
  expect(sent.at(-1)?.body).toEqual({
    changes: [
      {
        id: "9",
        title: "Mine",
        folders: ["3"],
        position: 4,
        fetchIntervalMinutes: 180,
        isMuted: true,
        fullText: true,
        notify: true,
        neverCount: true,
      },
    ],
  });
});

it("stays where another list is read", async () => {
  const { client } = begin("/feed/1");
  await unsubscribe(client, feed);
  expect(location.pathname).toBe("/feed/1");
});

it("shows a feed again that could not be left", async () => {
  const { client, known } = begin("/feed/9", new TypeError("network"));
  await unsubscribe(client, feed);
  expect([location.pathname, known()?.sort()]).toEqual(["/feed/9", ["1", "9"]]);
  expect(undoLast(), "there is nothing to take back").toBe(false);
});

const list = { stream: { kind: "folder", id: "3" }, filter: "all", order: "new" } as const;

function aRefresh(over: Partial<Refresh> = {}): { refresh: Refresh } {
  const none = { total: 0, checked: 0, newItems: 0, failed: 0, skipped: 0 };
  return { refresh: { id: "r1", ...none, nextAt: null, isDone: false, ...over } };
}

/** Serves the refresh of a list in steps, and gives all that the toast says. */
function serveRefresh(first: Partial<Refresh>, ...steps: Partial<Refresh>[]) {
  const { calls } = mockServer({
    "POST /api/refreshes": { status: 202, body: aRefresh(first) },
    "GET /api/refreshes/r1": () => ({ body: aRefresh(steps.shift()) }),
    "GET /api/items": { body: { items: [], nextCursor: null, totals: {} } },
  });
  const said: string[] = [];
  const { result, unmount } = renderHook(() => useToast());
  const see = () => {
    const text = result.current?.text;
    if (text && said.at(-1) !== text) said.push(text);
  };
  return { calls, said, see, unmount };
}

it("polls a list on request, says how far it is, and ends without a fuss", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const total = 63;
  const { calls, said, see, unmount } = serveRefresh(
    { total },
    { total, checked: 12, newItems: 4 },
    { total, checked: 63, newItems: 7, skipped: 2, isDone: true },
  );
  const done = refresh(testClient(), list);
  const again = refresh(testClient(), list);
  for (let step = 0; step < 40; step += 1) {
    await act(() => vi.advanceTimersByTimeAsync(100));
    see();
  }
  await Promise.all([done, again]);
  expect(said).toEqual([
    "0 of 63 checked",
    "12 of 63 checked, 4 new",
    "7 new articles · 2 feeds skipped",
  ]);
  const asked = calls.filter(({ route }) => route === "POST /api/refreshes");
  expect(asked.map(({ body }) => body)).toEqual([{ folder: "3" }]);
  unmount();
  vi.useRealTimers();
});

it.each([
  [{ id: null, isDone: true, skipped: 5, nextAt: "in4" }, "Just checked. Try again in 4 min."],
  [{ id: null, isDone: true }, "Nothing to check here"],
  [{ total: 5, checked: 5, isDone: true }, "No new articles"],
] as const)("says quietly that there is nothing new (%o)", async (answer, text) => {
  const nextAt = "nextAt" in answer ? new Date(Date.now() + 3.5 * 60_000).toISOString() : null;
  const { said, see, unmount } = serveRefresh({ ...answer, nextAt });
  await act(() => refresh(testClient(), list));
  see();
  expect(said.at(-1)).toBe(text);
  unmount();
});

it("asks nothing while the page is hidden, and no longer than its patience", async () => {
  vi.useFakeTimers();
  const show = (state: DocumentVisibilityState) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
    document.dispatchEvent(new Event("visibilitychange"));
  };
  const { calls, unmount } = serveRefresh({ total: 3 });
  const done = refresh(testClient(), list);
  await act(() => vi.advanceTimersByTimeAsync(0));
  show("hidden");
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  const asked = () => calls.filter(({ route }) => route === "GET /api/refreshes/r1").length;
  expect(asked(), "hidden").toBe(0);
  show("visible");
  await act(() => vi.advanceTimersByTimeAsync(10 * 60_000));
  await done;
  expect(asked(), "while it was seen").toBeGreaterThan(5);
  expect(asked(), "bounded").toBeLessThan(60);
  unmount();
  vi.useRealTimers();
});
