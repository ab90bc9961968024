import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { anItem } from "@/testing/fixtures";
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
  renderApp(<Bookmarks item={anItem({ bookmarkCount: count, link: "https://site.example/a" })} />);
  const shown = screen.getByRole("link", { name: `Hatena bookmarks: ${count}` });
  expect(screen.getByText(`B ${count}`).parentElement).toBe(shown);
  expect(shown.getAttribute("data-step")).toBe(step);
});

it("says how many bookmarks came in a day", () => {
  renderApp(<Bookmarks item={anItem({ bookmarkCount: 12, growth: 5 })} />);
  const name = "Hatena bookmarks: 12, 5 of them in the last day";
  expect(screen.getByRole("link", { name }).firstElementChild?.textContent).toBe("B 12 +5");
});

it("shows few bookmarks in a column only where the list is by them", () => {
  expect(
    renderApp(<Bookmarks item={anItem({ bookmarkCount: 3 })} isPlain />).container.textContent,
  ).toBe("");
  const item = anItem({ bookmarkCount: 3, growth: 0 });
  const { container } = renderApp(<Bookmarks item={item} isPlain />);
  expect(container.querySelector("[aria-hidden]")?.textContent).toBe("3");
  // Its place is kept, so that the counts above and below stay in line.
  expect(container.querySelector(".growth")).not.toBeNull();
});

it("shows nothing where the count is not known", () => {
  const { container } = renderApp(<Bookmarks item={anItem()} />);
  expect(container.textContent).toBe("");
});

it("leads to the comments of a page", () => {
  expect(hatenaPage("https://site.example/a?b=1#c")).toBe(
    "https://b.hatena.ne.jp/entry/s/site.example/a?b=1%23c",
  );
  expect(hatenaPage("http://site.example/")).toBe("https://b.hatena.ne.jp/entry/site.example/");
});
