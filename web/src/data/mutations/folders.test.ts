import { expect, it } from "vitest";
import { aFeed } from "@/testing/fixtures";
import { testClient } from "@/testing/render";
import { mockServer, problem } from "@/testing/server";
import { feedsQuery } from "../feeds";
import type { Folder } from "../types";
import { withinFolder } from "../within-folder";
import { deleteFolder, knownFolders, placeFolder, renameFolder } from "./folders";
import { loadedFeeds } from "./loaded-feeds";
import { applyTree } from "./loaded-tree";

const folder = (id: string, parentId: string | null, position: number): Folder => ({
  id,
  name: `F${id}`,
  parentId,
  position,
});
const folders = [
  folder("1", null, 0),
  folder("2", "1", 1),
  folder("3", "1", 0),
  folder("4", null, 1),
];

const totals = { feeds: 1, unread: 0, starred: 0 };

it("places a folder among its new siblings", () => {
  const order = (all: Folder[], parent: string | null) =>
    all
      .filter((one) => one.parentId === parent)
      .sort((a, b) => a.position - b.position)
      .map((one) => one.id);
  const moved = placeFolder(folders, "4", "1", 1);
  expect(order(moved, "1")).toEqual(["3", "4", "2"]);
  expect(order(moved, null)).toEqual(["1"]);
  expect(order(placeFolder(folders, "4", null, 0), null)).toEqual(["4", "1"]);
  expect(order(placeFolder(folders, "4", null, 99), null)).toEqual(["1", "4"]);
});

it("lists what is in a folder from the outside in", () => {
  expect(withinFolder(folders, "1").map((one) => one.id)).toEqual(["1", "3", "2"]);
});

it("shows again what a refused change had changed", async () => {
  const client = testClient();
  applyTree(client, { folders });
  mockServer({ "PATCH /api/folders/1": problem(409, "folder_exists", "validation") });
  const asked = renameFolder(client, "1", "New");
  expect(knownFolders(client)[0]?.name).toBe("New");
  await expect(asked).rejects.toThrow();
  expect(knownFolders(client)).toEqual(folders);
});

it("restores a deleted folder in its place, with what had moved up out of it", async () => {
  const client = testClient();
  applyTree(client, { folders });
  const { calls } = mockServer({
    "DELETE /api/folders/1": {
      body: { folders: [folder("3", null, 0), folder("2", null, 1), folder("4", null, 2)] },
    },
    "POST /api/folders": { status: 201, body: { id: "10", folders: [] } },
    "PATCH /api/folders/2": { body: { folders: [] } },
    "PATCH /api/folders/3": { body: { folders: [] } },
    "PATCH /api/folders/10": { body: { folders: [] } },
    "POST /api/subscriptions/bulk": { body: { results: [], done: 1, failed: 0 } },
  });
  const feeds = [aFeed({ id: "7", folders: ["1", "4"] }), aFeed({ id: "8", folders: ["2"] })];
  client.setQueryData(feedsQuery.queryKey, { feeds, totals, limits: { feeds: 100 } });
  const undo = await deleteFolder(client, folder("1", null, 0), feeds);
  expect(knownFolders(client).map((one) => [one.id, one.parentId])).toEqual([
    ["3", null],
    ["2", null],
    ["4", null],
  ]);
  expect(loadedFeeds(client).map((feed) => feed.folders)).toEqual([["4"], ["2"]]);
  await undo();
  expect(calls.slice(1).map((call) => call.body)).toEqual([
    { name: "F1", parentId: null },
    { name: "F3", parentId: "10", position: 0 },
    { name: "F2", parentId: "10", position: 1 },
    { name: "F1", parentId: null, position: 0 },
    { changes: [{ id: "7", folders: ["10", "4"] }] },
  ]);
});

it("shows the feeds of a folder where they were when its deletion is refused", async () => {
  const client = testClient();
  applyTree(client, { folders });
  mockServer({ "DELETE /api/folders/2": problem(404, "folder_not_found", "validation") });
  const feeds = [aFeed({ id: "7", folders: ["1", "2"] })];
  client.setQueryData(feedsQuery.queryKey, { feeds, totals, limits: { feeds: 100 } });
  const asked = deleteFolder(client, folder("2", "1", 1), feeds);
  expect(loadedFeeds(client)[0]?.folders).toEqual(["1"]);
  await expect(asked).rejects.toThrow();
  expect(loadedFeeds(client)).toEqual(feeds);
});
