import { expect, it } from "vitest";
import { extend, howMany, noSelection, toggle, toggleAll } from "./selection";

const shown = ["a", "b", "c", "d"];
const ids = (selection: { ids: ReadonlySet<string> }) => [...selection.ids].sort().join("");

it("draws a range from the last click to this one, in either direction", () => {
  const one = toggle(noSelection, shown, "c", false);
  const up = toggle(one, shown, "a", true);
  expect(ids(up)).toBe("abc");
  expect(ids(toggle(up, shown, "b", true))).toBe("c");
  expect(ids(toggle(noSelection, shown, "b", true))).toBe("b");
});

it("grows with Shift and an arrow", () => {
  expect(ids(extend(extend(noSelection, "a", "b"), "b", "c"))).toBe("abc");
});

it("takes all that is shown or none of it, and leaves the others", () => {
  const elsewhere = { ids: new Set(["z", "a"]), anchor: null };
  expect(howMany(elsewhere, shown)).toBe("some");
  const all = toggleAll(elsewhere, shown);
  expect(ids(all)).toBe("abcdz");
  expect(howMany(all, shown)).toBe("all");
  expect(ids(toggleAll(all, shown))).toBe("z");
});
