import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";

/** The element at the top of the view: its path in the text, and how much of it is above. */
interface Anchor {
  path: readonly number[];
  above: number;
}

/** Keeps the scroll position in the text when `state` (font, width, images) changes. */
export function useScrollAnchor(scroller: RefObject<HTMLElement | null>, state: string): void {
  const anchor = useRef<Anchor | null>(null);

  useEffect(() => {
    const view = scroller.current;
    if (!view) return;
    let frame = 0;
    const onScroll = () => {
      if (frame !== 0) return;
      frame = requestAnimationFrame(() => {
        frame = 0;
        anchor.current = anchorOf(view);
      });
    };
    view.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      view.removeEventListener("scroll", onScroll);
    };
  }, [scroller]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the state changes
  useLayoutEffect(() => {
    if (scroller.current && anchor.current) restore(scroller.current, anchor.current);
  }, [state]);
}

function anchorOf(view: HTMLElement): Anchor | null {
  const top = view.getBoundingClientRect().top;
  const body = view.querySelector(".prose");
  if (!body || body.getBoundingClientRect().top >= top) return null;
  const path: number[] = [];
  let element: Element = body;
  for (;;) {
    const children: Element[] = [...element.children];
    const index = children.findIndex((child) => {
      const { height, bottom } = child.getBoundingClientRect();
      return height > 0 && bottom > top + 1;
    });
    const child = children[index];
    // Not inline elements: they move with the lines.
    if (!child || getComputedStyle(child).display.startsWith("inline")) break;
    path.push(index);
    element = child;
  }
  const box = element.getBoundingClientRect();
  return { path, above: box.height > 0 ? (top - box.top) / box.height : 0 };
}

function restore(view: HTMLElement, { path, above }: Anchor): void {
  let element = view.querySelector(".prose");
  for (const index of path) element = element?.children[index] ?? element;
  if (!element) return;
  const box = element.getBoundingClientRect();
  // A gap above stays the same; of an element that is cut, the same part stays above.
  view.scrollTop += box.top + Math.max(0, above) * box.height - view.getBoundingClientRect().top;
}
