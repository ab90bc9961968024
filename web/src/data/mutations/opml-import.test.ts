import { QueryClient } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { mockServer } from "@/testing/server";
import { importOpml } from "./opml-import";

function report(over: object) {
  return {
    success: true,
    id: "i1",
    state: "completed",
    name: "",
    total: 60,
    done: 60,
    imported: 60,
    alreadySubscribed: 0,
    kind: "list",
    archive: null,
    failed: 0,
    createdAt: "2026-11-21T00:00:00Z",
    endedAt: null,
    feedIds: [],
    errors: [],
    ...over,
  };
}

it("waits for a long import, and lets what has come be shown", async () => {
  const { calls } = mockServer({
    "POST /api/import/opml": { status: 202, body: report({ state: "pending", done: 0 }) },
    "GET /api/imports/i1": { body: report({}) },
  });
  const client = new QueryClient();
  const shown = vi.spyOn(client, "invalidateQueries");
  const wait = vi.fn(async () => undefined);
  const last = await importOpml(client, new File(["<opml/>"], "a.opml"), wait);
  expect(last.imported).toBe(60);
  expect(wait).toHaveBeenCalledTimes(1);
  expect(calls.map((call) => call.route)).toEqual(["POST /api/import/opml", "GET /api/imports/i1"]);
  expect(shown).toHaveBeenCalled();
});

it("does not ask again for a short one", async () => {
  const { calls } = mockServer({ "POST /api/import/opml": { body: report({ total: 2 }) } });
  await importOpml(new QueryClient(), new File(["<opml/>"], "a.opml"));
  expect(calls).toHaveLength(1);
});
