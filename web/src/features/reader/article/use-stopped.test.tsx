import { render } from "@testing-library/react";
import { useRef } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { forgetStopped, stop, stoppedAt } from "@/data/stopped";
import { useStoppedInStream } from "./use-stopped";

afterEach(forgetStopped);

function Text({ id }: { id: string }) {
  const article = useRef<HTMLElement>(null);
  useStoppedInStream(id, article, true);
  return (
    <article ref={article}>
      <div className="prose" data-id={id} />
    </article>
  );
}

it("keeps in Stream the place in the article at the upper edge alone", () => {
  const { container } = render(
    <div className="scroll">
      <Text id="1" />
      <Text id="2" />
    </div>,
  );
  const view = container.querySelector(".scroll") as HTMLElement;
  Object.defineProperty(view, "clientHeight", { value: 500 });
  view.getBoundingClientRect = () => new DOMRect(0, 0, 700, 500);
  let scrolled = 0;
  for (const [at, text] of view.querySelectorAll<HTMLElement>(".prose").entries())
    text.getBoundingClientRect = () => new DOMRect(0, 1500 * at - scrolled, 600, 1500);
  vi.spyOn(window, "requestAnimationFrame").mockImplementation((run) => {
    run(0);
    return 0;
  });
  const scroll = (to: number) => {
    scrolled = to;
    view.dispatchEvent(new Event("scroll"));
  };
  // Begun on another device; scrolling in the article before it leaves that as it is.
  stop("2", { part: 0.7 });
  scroll(500);
  expect(stoppedAt("1")?.part).toBe(0.5);
  expect(stoppedAt("2")?.part).toBe(0.7);
  scroll(1400);
  expect(stoppedAt("1")?.part).toBe(1);
  scroll(1800);
  expect(stoppedAt("2")?.part).toBe(0.3);
  vi.restoreAllMocks();
});
