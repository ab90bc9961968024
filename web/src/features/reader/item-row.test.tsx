import { act, fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Profiler } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { flags } from "@/data/flags";
import type { ItemSummary } from "@/data/types";
import { anItem } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { ItemRow } from "./item-row";
import type { Shape } from "./use-shape";

afterEach(() => flags.clear());

const on = {
  onOpen: vi.fn(),
  onCursor: vi.fn(),
  onStar: vi.fn(),
  onRead: vi.fn(),
  onLater: vi.fn(),
  onMenu: vi.fn(),
};
const shape: Shape = { mode: "read", isCompact: false, hasImages: true, hasOfferImages: true };

function row(item: ItemSummary, over = {}) {
  return (
    <ItemRow
      item={item}
      feedName="組版と読書"
      feedIcon={null}
      shape={shape}
      href={`/all/i/${item.id}`}
      isOpen={false}
      isCursor={false}
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
  expect(link.getAttribute("href")).toBe("/my/popular/new?t=CI%2FCD");
  await userEvent.click(link);
  await expect.poll(() => location.search).toBe("?t=CI%2FCD");
  expect(on.onOpen).not.toHaveBeenCalled();
});

it("opens in place on a plain click and leaves the others to the browser", async () => {
  renderApp(row(anItem()));
  await userEvent.click(screen.getByRole("link"));
  expect(on.onOpen).toHaveBeenCalledWith("100");
});

it("shows an excerpt, but not of what it heads, and nothing twice", () => {
  const snippet = "ある日の抜粋";
  const shown = (over: Partial<ItemSummary>, mode: Shape["mode"], isOpen = false) => {
    const { container, unmount } = renderApp(
      row(anItem({ snippet, ...over }), { shape: { ...shape, mode }, isOpen }),
    );
    const text = container.textContent ?? "";
    unmount();
    return [text.split(snippet).length - 1, text.includes("Author")];
  };
  expect(shown({}, "skim")).toEqual([1, false]);
  expect(shown({}, "read")).toEqual([1, false]);
  expect(shown({ title: "" }, "read")).toEqual([1, false]);
  expect(shown({}, "skim", true)).toEqual([0, true]);
  expect(shown({}, "stream")).toEqual([0, true]);
});

it("has counts from ten on and short times in Skim, and the star only where it is set", () => {
  const at = new Date(Date.now() - 2 * 3_600_000).toISOString();
  const show = (over: Partial<ItemSummary>) => {
    const { container, unmount } = renderApp(
      row(anItem({ publishedAt: at, ...over }), { shape: { ...shape, mode: "skim" } }),
    );
    const meta = container.querySelector(".meta");
    const told = [
      meta?.querySelector(".bookmarks [aria-hidden]")?.textContent ?? "",
      meta?.querySelector("time")?.textContent,
      meta?.querySelector("svg") != null,
    ];
    unmount();
    return told;
  };
  expect(show({ bookmarkCount: 9 })).toEqual(["", "2h", false]);
  expect(show({ bookmarkCount: 120, isStarred: true })).toEqual(["120", "2h", true]);
  expect(show({ isDateEstimated: true })).toEqual(["", "≈ 2h", false]);
});

it("toggles read at the place of the dot, and opens its menu where the pointer is", async () => {
  renderApp(row(anItem()));
  fireEvent.click(document.querySelector(".state-mark") as Element);
  expect(on.onRead).toHaveBeenCalledOnce();
  fireEvent.contextMenu(screen.getByRole("article"), { button: 2, clientX: 30, clientY: 40 });
  expect(on.onMenu.mock.lastCall?.[2]).toEqual({ x: 30, y: 40 });
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

const drop = {
  event: "dropped" as const,
  watchId: "5",
  resultId: "r1",
  price: 9_990,
  before: 12_800,
  currency: "JPY",
  status: "onSale" as const,
};

it.each(["skim", "read"] as const)(
  "has picture, shop, prices and change of a watch (%s)",
  async (mode) => {
    const item = anItem({
      offer: drop,
      author: "瑠璃市の台所",
      imageUrl: "https://shop.example/1.jpg",
    });
    const { container } = renderApp(row(item, { shape: { ...shape, mode, hasImages: false } }));
    const [price, change] = await Promise.all([
      screen.findByText("¥12,800"),
      screen.findByText("−22%"),
    ]);
    expect(price.parentElement?.textContent).toBe("¥12,800 → ¥9,990");
    expect(change.getAttribute("title")).toBe("Price drop");
    expect(container.querySelector(".excerpt")?.textContent).toBe("瑠璃市の台所");
    expect(container.querySelector(".picture img")?.getAttribute("src")).toBe(item.imageUrl);
  },
);

it.each([
  [{ event: "new", before: null }, "¥9,990", "New"],
  [{ event: "sold", price: null, before: null }, "", "Sold"],
  [{ event: "reached" }, "¥12,800 → ¥9,990", "Wanted price −22%"],
] as const)("says what happened besides a change: %o", async (over, price, change) => {
  const item = anItem({ offer: { ...drop, ...over }, author: "" });
  const { container } = renderApp(row(item, { shape: { ...shape, mode: "skim" } }));
  await screen.findByText(change);
  expect(container.querySelector(".row-price .price")?.textContent).toBe(price);
  // Without a seller it is the name of the watch.
  expect(container.querySelector(".excerpt")?.textContent).toBe("組版と読書");
});
