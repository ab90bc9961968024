import { afterEach, expect, it } from "vitest";
import { moveBars, setBars } from "./bars";

afterEach(() => setBars("there"));

it("hides the bars of phones on the way down, and shows them on the way up and at the end", () => {
  const box = document.createElement("div");
  Object.defineProperty(box, "scrollHeight", { value: 3_000 });
  Object.defineProperty(box, "clientHeight", { value: 800 });
  let edge = 0;
  const bars = (top: number) => {
    box.scrollTop = top;
    edge = moveBars(box, edge);
    return document.documentElement.dataset.bars;
  };
  setBars("there");
  expect(bars(100), "at the top").toBe("there");
  expect(bars(400), "down").toBe("away");
  expect(bars(396), "hardly moved").toBe("away");
  expect(bars(380), "up").toBe("there");
  expect(bars(900), "down again").toBe("away");
  expect(bars(2_180), "near the end").toBe("there");
});
