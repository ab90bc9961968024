import { expect, it } from "vitest";
import type { Folder } from "@/data/types";
import { aFeed } from "@/testing/fixtures";
import { dropPlace, type Where } from "./drop-place";
import { nodeOf, type Target } from "./targets";
import { buildTree } from "./tree";

const folders: Folder[] = [
  { id: "1", name: "A", parentId: null, position: 0 },
  { id: "2", name: "B", parentId: null, position: 1 },
  { id: "3", name: "In A", parentId: "1", position: 0 },
];
const feeds = ["7", "8", "9"].map((id, position) => aFeed({ id, position, folders: ["1"] }));
const labels = ["4", "5", "6"].map((id) => ({
  id,
  name: `Label ${id}`,
  position: Number(id) - 4,
  isReadLater: false,
}));
const tree = buildTree({ folders, labels }, feeds, { sort: "manual", locale: "en" });
const feed = (id: string, folder: string | null = "1"): Target => {
  const found = feeds.find((one) => one.id === id);
  if (!found) throw new Error(id);
  return { kind: "feed", feed: found, folder };
};
const folder = (id: string): Target => {
  const node = nodeOf(tree.folders, id);
  if (!node) throw new Error(id);
  return { kind: "folder", node };
};
const label = (id: string): Target => ({
  kind: "label",
  label: { id, name: `Label ${id}`, position: 0, isReadLater: false },
});
const drop = (moved: Target, onto: Target | "loose", where: Where, isManual = true) =>
  dropPlace(moved, onto, where, tree, folders, isManual);

it("puts a feed between feeds, and into a folder after those in it", () => {
  expect(drop(feed("7"), feed("9"), "after")).toEqual({ parent: "1", position: 2 });
  expect(drop(feed("9"), feed("7"), "before")).toEqual({ parent: "1", position: 0 });
  expect(drop(feed("7"), folder("1"), "into")).toEqual({ parent: "1", position: 3 });
  expect(drop(feed("7"), folder("2"), "before")).toEqual({ parent: "2", position: 0 });
  expect(drop(feed("7"), "loose", "into")).toEqual({ parent: null, position: 0 });
});

it("orders nothing where the order is not the person's", () => {
  expect(drop(feed("7"), feed("9"), "after", false)).toBeNull();
  expect(drop(feed("7", "2"), feed("9"), "after", false)?.parent).toBe("1");
});

it("puts a folder between folders or into one, never into itself", () => {
  expect(drop(folder("2"), folder("1"), "before")).toEqual({ parent: null, position: 0 });
  expect(drop(folder("2"), folder("1"), "into")).toEqual({ parent: "1", position: 1 });
  expect(drop(folder("1"), folder("3"), "into")).toBeNull();
  expect(drop(folder("1"), folder("1"), "after")).toBeNull();
  expect(drop(folder("1"), feed("7"), "before")).toBeNull();
});

it("puts a label between labels, whatever the feeds are sorted by", () => {
  expect(drop(label("4"), label("6"), "after", false)).toEqual({ parent: null, position: 2 });
  expect(drop(label("6"), label("4"), "before")).toEqual({ parent: null, position: 0 });
  expect(drop(label("4"), label("4"), "before")).toBeNull();
  expect(drop(label("4"), folder("1"), "into")).toBeNull();
  expect(drop(label("4"), "loose", "into")).toBeNull();
  expect(drop(feed("7"), label("4"), "before")).toBeNull();
});
