import { waitFor } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { feedsQuery } from "@/data/feeds";
import { treeQuery } from "@/data/tree";
import { aFeed, aReport } from "@/testing/fixtures";
import { testClient } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { forgetUndos, undoLast } from "@/ui/toasts";
import { unsubscribe } from "./deeds";

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
