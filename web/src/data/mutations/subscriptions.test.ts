import { expect, it } from "vitest";
import { aFeed } from "@/testing/fixtures";
import { testClient } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { feedsQuery } from "../feeds";
import { changeSubscriptions, settingsBefore } from "./subscriptions";

const folders = [
  { id: "1", parentId: null, name: "技術", position: 0 },
  { id: "2", parentId: "1", name: "Web", position: 0 },
];
const totals = { feeds: 2, unread: 0, starred: 0 };

function clientWithFeeds() {
  const client = testClient();
  const feeds = [aFeed({ id: "1" }), aFeed({ id: "2" })];
  client.setQueryData(feedsQuery.queryKey, { feeds, totals, limits: { feeds: 100 } });
  const shown = () => client.getQueryData(feedsQuery.queryKey)?.feeds ?? [];
  return { client, shown };
}

const ok = (id: string) => ({ id, ok: true, code: null, message: null });

it("shows a change at once, with the folder's path, and what undoes it", async () => {
  const { client, shown } = clientWithFeeds();
  mockServer({
    "POST /api/subscriptions/bulk": { body: { results: [ok("1")], done: 1, failed: 0 } },
  });
  const [before] = shown();
  const change = { folders: ["2"], isMuted: true, title: "Mine" };
  const done = changeSubscriptions(client, [{ id: "1", ...change }], folders);
  expect(shown()[0]).toMatchObject({ folder: "技術/Web", isMuted: true, customTitle: "Mine" });
  expect(await done).toEqual([]);
  expect(before && settingsBefore(before, change)).toEqual({
    folders: [],
    isMuted: false,
    title: "",
  });
});

it("takes back what was refused and keeps the rest", async () => {
  const { client, shown } = clientWithFeeds();
  const refused = { id: "2", ok: false, code: "feed_not_found", message: "No such feed." };
  mockServer({
    "POST /api/subscriptions/bulk": { body: { results: [ok("1"), refused], done: 1, failed: 1 } },
  });
  const changes = ["1", "2"].map((id) => ({ id, unsubscribe: true }));
  expect(await changeSubscriptions(client, changes, folders)).toEqual([
    { id: "2", code: "feed_not_found", message: "No such feed." },
  ]);
  expect(shown().map(({ id }) => id)).toEqual(["2"]);
});

it("takes everything back when nothing arrived", async () => {
  const { client, shown } = clientWithFeeds();
  mockServer({ "POST /api/subscriptions/bulk": new Error("offline") });
  const changes = [{ id: "1", isMuted: true }];
  await expect(changeSubscriptions(client, changes, folders)).rejects.toThrow();
  expect(shown().map(({ isMuted }) => isMuted)).toEqual([false, false]);
});
