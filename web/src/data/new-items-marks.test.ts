import { expect, it } from "vitest";
import { anItem } from "@/testing/fixtures";
import { testClient } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { flags } from "./flags";
import { checkForNewItems } from "./new-items";
import { streamQuery } from "./stream";

it("shows in a list that was kept what was read meanwhile elsewhere", async () => {
  const client = testClient();
  const name = { stream: { kind: "feed", id: "1" }, filter: "all", order: "new" } as const;
  const row = anItem({ id: "100" });
  client.setQueryData(streamQuery(name.stream, name.filter).queryKey, {
    pages: [{ items: [row], nextCursor: null, asOf: null, loadedAt: 1 }],
    pageParams: [null],
  });
  mockServer({
    "GET /api/feeds/1/items": {
      body: { items: [{ ...row, isRead: true }], nextCursor: null, asOf: null },
    },
  });
  expect(flags.read(row).isRead).toBe(false);
  await checkForNewItems(client, name);
  expect(flags.read(row).isRead).toBe(true);
  flags.clear();
});
