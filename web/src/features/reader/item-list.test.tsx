import { act, fireEvent, screen } from "@testing-library/react";
import { createRef, type ReactNode, useState } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { flags } from "@/data/flags";
import type { ReaderRoute } from "@/data/routes";
import { forgetScrollPositions, keepScrollPosition } from "@/data/scroll-positions";
import type { ItemId } from "@/data/types";
import { aFeed, anItem } from "@/testing/fixtures";
import { stubLayout } from "@/testing/layout";
import { renderApp } from "@/testing/render";
import { ItemList, type ListHandle } from "./item-list";

/** Each render of a row, by its item: a row draws its time once whenever it is drawn. */
const drawn = vi.hoisted(() => [] as string[]);
vi.mock("./item-time", () => ({
  ItemTime: ({ item }: { item: { id: string } }): ReactNode => {
    drawn.push(item.id);
    return null;
  },
}));

beforeEach(() => {
  stubLayout();
  drawn.length = 0;
});
afterEach(() => flags.clear());

const route: ReaderRoute = {
  screen: "reader",
  stream: { kind: "all" },
  filter: "all",
  mode: null,
  order: null,
  item: null,
};
const shape = { mode: "read", isCompact: false, hasImages: true, hasOfferImages: true } as const;
const feeds = new Map([["1", aFeed()]]);
const items = Array.from({ length: 10_000 }, (_, i) => anItem({ id: String(i + 1) }));

let setOpen: (id: ItemId) => void;
let setLoaded: (count: number) => void;

/** As the reader does it: what is open and where the cursor is are its state, and its functions are new each time. */
function List({ count = items.length }: { count?: number }) {
  const [open, put] = useState<ItemId | null>(null);
  const [loaded, load] = useState(count);
  setOpen = put;
  setLoaded = load;
  return (
    <ItemList
      ref={createRef<ListHandle>()}
      route={{ ...route, item: open }}
      listKey="all|all"
      shape={shape}
      items={items.slice(0, loaded)}
      hasDays
      feeds={feeds}
      cursor={open}
      isEnd={loaded === items.length}
      isLoadingMore={false}
      moreError={null}
      onMore={() => undefined}
      onOpen={put}
      onCursor={() => undefined}
      onStar={() => undefined}
      onRead={() => undefined}
      onLater={() => undefined}
      onPin={() => undefined}
      onMark={() => undefined}
      before={null}
      end={null}
    />
  );
}

async function showList(): Promise<number> {
  renderApp(<List />);
  await vi.waitFor(() => expect(screen.getAllByRole("article").length).toBeGreaterThan(8));
  drawn.length = 0;
  return screen.getAllByRole("article").length;
}

it("has few rows of ten thousand in the page", async () => {
  expect(await showList()).toBeLessThanOrEqual(40);
});

it("draws one row anew when one of ten thousand items is marked", async () => {
  await showList();
  act(() => flags.show("3", { isRead: false }, { isRead: true }));
  expect(drawn).toEqual(["3"]);
  act(() => flags.show("4", { isStarred: false }, { isStarred: true }));
  expect(drawn).toEqual(["3", "4"]);
});

it("draws two rows anew when one goes from an item to the next", async () => {
  await showList();
  act(() => setOpen("2"));
  expect(drawn).toEqual(["2"]);
  drawn.length = 0;
  act(() => setOpen("3"));
  expect(drawn.sort()).toEqual(["2", "3"]);
  // Tab enters the list where it is open.
  await vi.waitFor(() => {
    const stops = screen.getAllByRole("article").filter((row) => row.tabIndex === 0);
    expect(stops.map((row) => row.dataset.item)).toEqual(["3"]);
  });
});

it.each([
  ["a key, wherever the focus is", () => fireEvent.keyDown(document.body, { key: "j" }), false],
  ["the scroll bar", (box: Element) => fireEvent.pointerDown(box), false],
  ["the wheel", (box: Element) => fireEvent.wheel(box), false],
  ["nothing", () => undefined, true],
])(
  "goes back to where one was when more items come, but not after %s",
  async (_, move, returns) => {
    keepScrollPosition("all|all", { id: "300", index: 299, within: 0 });
    renderApp(<List count={50} />);
    await vi.waitFor(() => expect(screen.getAllByRole("article").length).toBeGreaterThan(8));
    const box = document.querySelector(".scroll") as HTMLElement;
    move(box);
    act(() => setLoaded(400));
    await act(async () => new Promise(requestAnimationFrame));
    expect(box.scrollTop > 0).toBe(returns);
    forgetScrollPositions();
  },
);
