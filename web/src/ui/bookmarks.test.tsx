import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderApp } from "@/testing/render";
import { Bookmarks, hatenaPage } from "./bookmarks";

it.each([
  [0, null],
  [9, null],
  [10, "some"],
  [99, "some"],
  [100, "many"],
  [500, "most"],
])("shows %s bookmarks in step %s, with words", (count, step) => {
  renderApp(<Bookmarks count={count} link="https://site.example/a" />);
  const shown = screen.getByRole("link", { name: `Hatena bookmarks: ${count}` });
  expect(shown.textContent).toBe(`B ${count}`);
  expect(shown.getAttribute("data-step")).toBe(step);
});

it("shows nothing where the count is not known", () => {
  const { container } = renderApp(<Bookmarks count={null} link="https://site.example/a" />);
  expect(container.textContent).toBe("");
});

it("leads to the comments of a page", () => {
  expect(hatenaPage("https://site.example/a?b=1#c")).toBe(
    "https://b.hatena.ne.jp/entry/s/site.example/a?b=1%23c",
  );
  expect(hatenaPage("http://site.example/")).toBe("https://b.hatena.ne.jp/entry/site.example/");
});
