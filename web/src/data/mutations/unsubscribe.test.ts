import { expect, it } from "vitest";
import { aFeed } from "@/testing/fixtures";
import { testClient } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { aWatch } from "@/testing/watches";
import { unsubscribe } from "./unsubscribe";

const shown = "https://anna:xxxxx@example.jp/feed";
const whole = "https://anna:hunter2@example.jp/feed";

it("comes back to a private feed by its whole address, which it asks for while it may", async () => {
  let list = "";
  const { calls } = mockServer({
    "GET /api/feeds/1/address": { body: { url: whole, proposedUrl: null } },
    "POST /api/subscriptions/bulk": { body: { results: [{ id: "1", ok: true }] } },
    "POST /api/import/opml": async ({ body }) => {
      list = await ((body as FormData).get("file") as File).text();
      return { body: { id: "i", state: "completed", errors: [], feedIds: [] } };
    },
  });
  const { done, undo } = unsubscribe(testClient(), [aFeed({ url: shown })]);
  await done;
  expect(calls.map(({ route }) => route)).toEqual([
    "GET /api/feeds/1/address",
    "POST /api/subscriptions/bulk",
  ]);
  await undo().catch(() => undefined);
  expect(list).toContain(whole);
});

it("asks for no address where there is no password", async () => {
  const { calls } = mockServer({
    "POST /api/subscriptions/bulk": { body: { results: [{ id: "1", ok: true }] } },
  });
  await unsubscribe(testClient(), [aFeed()]).done;
  expect(calls.map(({ route }) => route)).toEqual(["POST /api/subscriptions/bulk"]);
});

it("takes a watch back, which no list of addresses can", async () => {
  const watch = aWatch();
  const { calls } = mockServer({
    "GET /api/watches/7": { body: { watch } },
    "POST /api/subscriptions/bulk": { body: { results: [{ id: "7", ok: true }] } },
    "PUT /api/watches/7": { body: { watch } },
  });
  const feed = aFeed({ id: "7", isWatch: true, folders: ["3"] });
  const { done, undo } = unsubscribe(testClient(), [feed]);
  await done;
  await undo();
  expect(calls.map(({ route }) => route)).toEqual([
    "GET /api/watches/7",
    "POST /api/subscriptions/bulk",
    "PUT /api/watches/7",
  ]);
  expect(calls.at(-1)?.body).toEqual({ interval: 60, folderIds: ["3"] });
});
