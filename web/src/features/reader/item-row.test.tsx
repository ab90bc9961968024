import { act, fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Profiler } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { flags } from "@/data/flags";
import type { ItemSummary } from "@/data/types";
import { activateLocale } from "@/i18n/locale";
import { anItem } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { ItemRow } from "./item-row";
import type { Shape } from "./use-shape";

afterEach(() => flags.clear());

const on = { onOpen: vi.fn(), onCursor: vi.fn(), onStar: vi.fn(), onMenu: vi.fn() };
const shape: Shape = { view: "list", density: "normal", hasImages: true, hasExcerpt: false };

function row(item: ItemSummary, over = {}) {
  return (
    <ItemRow
      item={item}
      feedName="組版と読書"
      feedIcon={null}
      shape={shape}
      href={`/all/i/${item.id}`}
      isOpen={false}
      isCursor
      position={3}
      size={-1}
      on={on}
      {...over}
    />
  );
}

it("is an article of a feed with its place, language and link", () => {
  renderApp(row(anItem()));
  const article = screen.getByRole("article", { name: /「読む」ための組版/ });
  expect(article.getAttribute("aria-posinset")).toBe("3");
  expect(article.getAttribute("aria-setsize")).toBe("-1");
  expect(article.tabIndex).toBe(0);
  const heading = screen.getByRole("heading", { level: 2 });
  expect(heading.closest("[lang]")?.getAttribute("lang")).toBe("ja");
  expect(screen.getByRole("link").getAttribute("href")).toBe("/all/i/100");
});

it("says unread in words, not by colour alone", () => {
  const { rerender } = renderApp(row(anItem()));
  expect(screen.getByRole("heading").textContent).toContain("Unread:");
  rerender(<div />);
  renderApp(row(anItem({ id: "101", isRead: true })));
  expect(screen.getByRole("heading").textContent).not.toContain("Unread:");
});

it("shows bookmarks only where their number is known", () => {
  const { unmount } = renderApp(row(anItem({ bookmarkCount: 120 })));
  expect(screen.getByText("B 120")).toBeTruthy();
  unmount();
  renderApp(row(anItem({ bookmarkCount: null })));
  expect(screen.queryByText(/^B /)).toBeNull();
});

it("leads from the tags of a popular article to their articles, without opening it", async () => {
  on.onOpen.mockClear();
  renderApp(row(anItem({ tags: ["Go", "CI/CD"] })));
  const link = screen.getByRole("link", { name: "#CI/CD" });
  expect(link.getAttribute("href")).toBe("/explore/new?t=CI%2FCD");
  await userEvent.click(link);
  await expect.poll(() => location.search).toBe("?t=CI%2FCD");
  expect(on.onOpen).not.toHaveBeenCalled();
});

it("marks an estimated date in both languages", async () => {
  const old = anItem({ isDateEstimated: true, publishedAt: "2020-01-02T00:00:00Z" });
  const { unmount } = renderApp(row(old));
  expect(screen.getByText(/^about /).tagName).toBe("TIME");
  unmount();
  await activateLocale("ja");
  renderApp(row(old));
  expect(screen.getByText(/推定.$/).getAttribute("datetime")).toBe("2020-01-02T00:00:00Z");
});

it("opens in place on a plain click and leaves the others to the browser", async () => {
  renderApp(row(anItem()));
  await userEvent.click(screen.getByRole("link"));
  expect(on.onOpen).toHaveBeenCalledWith("100");
});

it("shows as much as the view has room for, and nothing twice", () => {
  const snippet = "ある日の抜粋";
  const shown = (over: Partial<ItemSummary>, look: Partial<Shape>) => {
    const { container, unmount } = renderApp(
      row(anItem({ snippet, ...over }), { shape: { ...shape, ...look } }),
    );
    const times = (container.textContent ?? "").split(snippet).length - 1;
    unmount();
    return times;
  };
  expect(shown({}, {})).toBe(0);
  expect(shown({}, { view: "magazine", hasExcerpt: true })).toBe(1);
  expect(shown({ title: "" }, { view: "magazine", hasExcerpt: true })).toBe(1);
});

it("shows a picture without telling its host who looks, and none where pictures are off", () => {
  const item = anItem({ imageUrl: "https://example.jp/1.png" });
  const { container, unmount } = renderApp(row(item));
  const image = container.querySelector(".picture img");
  expect(image?.getAttribute("loading")).toBe("lazy");
  expect(image?.getAttribute("referrerpolicy")).toBe("no-referrer");
  unmount();
  renderApp(row(item, { shape: { ...shape, hasImages: false } }));
  expect(document.querySelector(".picture")).toBeNull();
});

it("keeps the box of a picture that cannot be loaded", () => {
  const { container } = renderApp(row(anItem({ imageUrl: "https://example.jp/1.png" })));
  fireEvent.error(container.querySelector(".picture img") as Element);
  expect(container.querySelector(".picture")).not.toBeNull();
  expect(container.querySelector(".picture img")).toBeNull();
});

it("renders alone when its own marks change", () => {
  const renders = { a: 0, b: 0 };
  const a = anItem({ id: "1" });
  const b = anItem({ id: "2" });
  renderApp(
    <>
      <Profiler id="a" onRender={() => (renders.a += 1)}>
        {row(a)}
      </Profiler>
      <Profiler id="b" onRender={() => (renders.b += 1)}>
        {row(b)}
      </Profiler>
    </>,
  );
  Object.assign(renders, { a: 0, b: 0 });
  act(() => flags.show("1", a, { isStarred: true }));
  expect(renders).toEqual({ a: 1, b: 0 });
  expect(screen.getAllByRole("button", { name: "Star" })[0]?.getAttribute("aria-pressed")).toBe(
    "true",
  );
});
