import { act, render } from "@testing-library/react";
import { useRef } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { forgetStopped, stop, stoppedAt, toContinue } from "@/data/stopped";
import { useStoppedInStream } from "./use-stopped";

afterEach(() => {
  forgetStopped();
  toContinue.set(null);
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function Text({ id }: { id: string }) {
  const article = useRef<HTMLElement>(null);
  useStoppedInStream(id, article, true);
  return (
    <article ref={article}>
      <div className="prose" data-id={id} />
    </article>
  );
}

beforeEach(() => {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe: () => void;
      constructor(notify: () => void) {
        this.observe = notify;
      }
      disconnect() {}
    },
  );
});

/** Two articles of 1500 px in a view of 500, each 40 px below the top of its line. */
function show() {
  const { container } = render(
    <div className="scroll">
      {["1", "2"].map((id) => (
        <div key={id} className="line">
          <Text id={id} />
        </div>
      ))}
    </div>,
  );
  const view = container.querySelector(".scroll") as HTMLElement;
  Object.defineProperty(view, "clientHeight", { value: 500 });
  view.getBoundingClientRect = () => new DOMRect(0, 0, 700, 500);
  const below = (selector: string, top: number, height: number) => {
    for (const [at, part] of view.querySelectorAll<HTMLElement>(selector).entries())
      part.getBoundingClientRect = () =>
        new DOMRect(0, 1540 * at + top - view.scrollTop, 600, height);
  };
  below(".line", 0, 1540);
  below(".prose", 40, 1500);
  vi.spyOn(window, "requestAnimationFrame").mockImplementation((run) => {
    run(0);
    return 0;
  });
  const scroll = (to: number) => {
    view.scrollTop = to;
    view.dispatchEvent(new Event("scroll"));
  };
  return { view, scroll };
}

it("keeps in Stream the place in the article at the upper edge alone", () => {
  const { scroll } = show();
  // Begun on another device; scrolling in the article before it leaves that as it is.
  stop("2", { part: 0.7 });
  scroll(540);
  expect(stoppedAt("1")?.part).toBe(0.5);
  expect(stoppedAt("2")?.part).toBe(0.7);
  scroll(1440);
  expect(stoppedAt("1")?.part).toBe(1);
  scroll(1540 + 40 + 300);
  expect(stoppedAt("2")?.part).toBe(0.3);
});

it("goes in Stream to the place in the article that is stepped to, until one scrolls by hand", () => {
  const { view, scroll } = show();
  stop("2", { part: 0.7 });
  scroll(1540);
  act(() => toContinue.set({ id: "2" }));
  expect(view.scrollTop).toBe(1540 + 40 + 700);
  // What the list itself scrolls meanwhile, because articles load, is no place.
  scroll(1540 + 40 + 100);
  expect(view.scrollTop).toBe(1540 + 40 + 700);
  expect(stoppedAt("2")?.part).toBe(0.7);
  window.dispatchEvent(new Event("wheel"));
  scroll(1540 + 40 + 100);
  expect(stoppedAt("2")?.part).toBe(0.1);
  // One that is not begun, or read to its end, is shown from its head.
  stop("1", { part: 0.99 });
  scroll(0);
  act(() => toContinue.set({ id: "1" }));
  expect(view.scrollTop).toBe(0);
});

it("goes in Stream to the very place where the list was left", () => {
  const { view } = show();
  stop("2", { part: 1 });
  act(() => toContinue.set({ id: "2", within: 1300 }));
  expect(view.scrollTop).toBe(1540 + 1300);
});
