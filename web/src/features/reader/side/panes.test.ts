import { expect, it } from "vitest";
import { isHidden, readPanes, setWidth, togglePane } from "./panes";

const root = document.documentElement;

it("keeps a width within its limits, and forgets it", () => {
  setWidth("side", 300.4);
  expect(root.style.getPropertyValue("--side-w")).toBe("300px");
  setWidth("list", 9_000);
  expect(readPanes()).toMatchObject({ side: 300, list: 560 });
  setWidth("side", null);
  expect(root.style.getPropertyValue("--side-w")).toBe("");
  expect(readPanes().side).toBeUndefined();
});

it("hides panes and shows them again", () => {
  togglePane("side");
  togglePane("list");
  expect(root.dataset.hide).toBe("side list");
  expect(isHidden("list")).toBe(true);
  togglePane("side");
  expect(root.dataset.hide).toBe("list");
  togglePane("list");
  expect(root.dataset.hide).toBeUndefined();
});
