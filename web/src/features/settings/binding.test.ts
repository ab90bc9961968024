import { expect, it } from "vitest";
import { mapOf, type OwnKeys } from "@/keys/keymap";
import { bind, conflictsOf, unbind } from "./binding";

const reader = mapOf("reader", {});
const live = (own: OwnKeys) => mapOf("reader", own);

it("names who has a key, and what begins with it", () => {
  expect(conflictsOf(reader, "s", "theme")).toEqual(["item.star"]);
  expect(conflictsOf(reader, "s", "item.star")).toEqual([]);
  expect(conflictsOf(reader, "g", "theme")).toContain("go.all");
  expect(conflictsOf(reader, "x", "theme")).toEqual([]);
});

it("takes a key from who had it, and keeps their others", () => {
  const own = bind(reader, {}, "theme", "u", "t");
  expect(live(own).get("theme")).toEqual(["u"]);
  expect(live(own).get("back")).toEqual(["Escape"]);
});

it("adds a key beside the others, and takes one away", () => {
  const own = bind(reader, {}, "item.next", "x", null);
  expect(live(own).get("item.next")).toEqual(["j", "x"]);
  expect(live(unbind(live(own), own, "item.next", "j")).get("item.next")).toEqual(["x"]);
  expect(live(unbind(live(own), own, "item.next", "x")).get("item.next")).toEqual(["j"]);
});

it("does not give one command the same key twice", () => {
  expect(live(bind(reader, {}, "item.next", "j", null)).get("item.next")).toEqual(["j"]);
  expect(live(bind(reader, {}, "back", "Escape", "u")).get("back")).toEqual(["Escape"]);
});
