import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { closeOutbox } from "@/data/item-state";
import { forgetStopped, stop, stoppedAt } from "@/data/stopped";
import { openApp } from "@/testing/app";
import { aBeginning, aFeed, aFullItem, anItem } from "@/testing/fixtures";

const item = anItem({ id: "101", title: "A long essay", contentHtml: "" } as never);
const feeds = [aFeed({ unreadCount: 1, hasUnread: true })];
const totals = { feeds: 1, unread: 1, starred: 0 };

function openEssay(path: string, places: unknown[] = []) {
  return openApp(path, {
    "GET /api/me": { body: { ...aBeginning(), feeds, totals, limits: { feeds: 100 }, places } },
    "GET /api/feeds": { body: { feeds, totals, limits: { feeds: 100 } } },
    "GET /api/feeds/1/items": {
      body: { items: [item], nextCursor: null, asOf: null, unreadCount: 1, totals },
    },
    "GET /api/items/101": {
      body: {
        item: aFullItem({
          ...item,
          contentState: "full",
          characters: 12_000,
          contentHtml:
            '<p>Text of the essay</p><img src="https://a.example/1.jpg" alt="A coast"><img src="https://a.example/2.jpg" alt="A boat" title="At noon">',
        }),
      },
    },
    "POST /api/items/state": { body: { items: [], feeds: [], totals, undo: null, noted: true } },
  });
}

/** jsdom lays nothing out: a text of 4,000 pixels in a view of 800, scrolled by `top`. */
function aLongText() {
  let top = 0;
  vi.spyOn(Element.prototype, "scrollTop", "get").mockImplementation(() => top);
  vi.spyOn(Element.prototype, "scrollTop", "set").mockImplementation((value) => {
    top = value;
  });
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(800);
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function (this: Element) {
    const isText = this.classList.contains("prose");
    return new DOMRect(0, isText ? 100 - top : 0, 600, isText ? 4_000 : 800);
  });
  return { top: () => top };
}

afterEach(async () => {
  cleanup();
  vi.restoreAllMocks();
  forgetStopped();
  await closeOutbox(true);
});

it("goes to where one stopped, says so, and goes back to the top", async () => {
  const view = aLongText();
  openEssay("/feed/1/i/101?v=read", [
    { id: "101", at: new Date().toISOString(), part: 0.5, seconds: 0 },
  ]);
  await screen.findByText("Text of the essay");
  await screen.findByText("Continued where you stopped");
  screen.getByText("12 min left");
  expect(view.top()).toBe(100 + 0.5 * 3_200);
  await waitFor(() =>
    expect(document.querySelector(".part-ring")?.getAttribute("data-part")).toBe("50"),
  );
  fireEvent.click(screen.getByRole("button", { name: "Back to the top" }));
  expect(view.top()).toBe(0);
  expect(stoppedAt("101")?.part).toBe(0);
  expect(screen.queryByText("Continued where you stopped")).toBeNull();
  expect(document.querySelector(".part-ring")).toBeNull();
});

it("keeps where one is while scrolling", async () => {
  aLongText();
  openEssay("/feed/1/i/101?v=read");
  await screen.findByText("Text of the essay");
  const box = document.querySelector(".article-pane .scroll") as HTMLElement;
  box.scrollTop = 100 + 0.25 * 3_200;
  fireEvent.scroll(box);
  await waitFor(() => expect(stoppedAt("101")?.part).toBe(0.25));
  await waitFor(() =>
    expect(document.querySelector<HTMLElement>(".read-line")?.style.inlineSize).toBe("25%"),
  );
});

it("begins a finished article at its top", async () => {
  const view = aLongText();
  stop("101", { part: 1 });
  openEssay("/feed/1/i/101?v=read");
  await screen.findByText("Text of the essay");
  expect(view.top()).toBe(0);
});

it("shows a picture whole, steps through those of the article, and comes back", async () => {
  HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
    this.open = true;
  };
  HTMLDialogElement.prototype.close ??= function (this: HTMLDialogElement) {
    this.open = false;
  };
  openEssay("/feed/1/i/101?v=read");
  await screen.findByText("Text of the essay");
  const picture = screen.getByRole("button", { name: "A coast" });
  picture.focus();
  fireEvent.keyDown(picture, { key: "Enter" });
  const viewer = await screen.findByRole("dialog", { name: "Picture 1 of 2" });
  fireEvent.keyDown(viewer, { key: "ArrowRight" });
  await screen.findByRole("dialog", { name: "Picture 2 of 2" });
  expect(screen.getByText("A boat")).toBeTruthy();
  expect(screen.getByText("At noon")).toBeTruthy();
  fireEvent(viewer, new Event("cancel", { cancelable: true }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(document.activeElement).toBe(picture);
  expect(location.pathname).toBe("/feed/1/i/101");
});
