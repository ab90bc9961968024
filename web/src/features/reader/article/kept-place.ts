import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";

/** What stands at the top of the view: the way to it through the body, and how much of it is above. */
interface Place {
  path: readonly number[];
  above: number;
}

/** Keeps what is being read where it is when type, measure or images change around it. */
export function useKeptPlace(scroller: RefObject<HTMLElement | null>, state: string): void {
  const place = useRef<Place | null>(null);

  useEffect(() => {
    const view = scroller.current;
    if (!view) return;
    let frame = 0;
    const onScroll = () => {
      if (frame !== 0) return;
      frame = requestAnimationFrame(() => {
        frame = 0;
        place.current = placeOf(view);
      });
    };
    view.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      view.removeEventListener("scroll", onScroll);
    };
  }, [scroller]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: when the state changes, and then only
  useLayoutEffect(() => {
    if (scroller.current && place.current) goTo(scroller.current, place.current);
  }, [state]);
}

function placeOf(view: HTMLElement): Place | null {
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
    // Words in the line are no places: they move with the lines.
    if (!child || getComputedStyle(child).display.startsWith("inline")) break;
    path.push(index);
    element = child;
  }
  const box = element.getBoundingClientRect();
  return { path, above: box.height > 0 ? (top - box.top) / box.height : 0 };
}

function goTo(view: HTMLElement, { path, above }: Place): void {
  let element = view.querySelector(".prose");
  for (const index of path) element = element?.children[index] ?? element;
  if (!element) return;
  const box = element.getBoundingClientRect();
  // A gap above stays as wide as it was; of what is cut, the same part stays above.
  view.scrollTop += box.top + Math.max(0, above) * box.height - view.getBoundingClientRect().top;
}
