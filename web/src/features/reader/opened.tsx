import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { itemQuery } from "@/data/item";
import type { ItemId } from "@/data/types";
import type { Place } from "./places";

interface Props {
  id: ItemId;
  position: number;
  size: number;
  /** The item whose row was pressed last. */
  pressed: RefObject<ItemId | null>;
  /** Where the list was left, until the first item has opened in it. */
  left: RefObject<Place | undefined>;
  children: ReactNode;
}

/** How long a place is held after what last moved it: a body and its code may take their time to come. */
const hold = 5_000;
const byHand = ["wheel", "touchstart", "pointerdown"] as const;

/**
 * The place under a row for its item. A row opened by a press keeps its place on the screen, whatever above it
 * closes; one opened otherwise comes to the top, for it was perhaps not in view; one that was open when the list was
 * left comes to where it was. A body that is still to come gets
 * a screen of room, so that it pushes nothing away.
 */
export function Opened({ id, position, size, pressed, left, children }: Props) {
  const client = useQueryClient();
  const [isReserved] = useState(() => client.getQueryData(itemQuery(id).queryKey) === undefined);
  const place = useRef<HTMLElement>(null);

  useLayoutEffect(() => {
    const line = place.current?.closest<HTMLElement>(".line");
    const box = line?.closest<HTMLElement>(".scroll");
    if (!line || !box) return;
    // The lines have not been moved yet: what is measured here is what the person saw.
    const edge = box.getBoundingClientRect().top;
    const { id: leftAt, within = 0 } = left.current ?? {};
    left.current = undefined;
    // The place that comes back has it in view, further down.
    if (leftAt !== undefined && leftAt !== id) return;
    const top = line.getBoundingClientRect().top - edge;
    const want = pressed.current === id ? top : leftAt === id ? -within : 0;
    pressed.current = null;
    const settle = () => {
      clearTimeout(timer);
      timer = setTimeout(stop, hold);
      const off = line.getBoundingClientRect().top - edge - want;
      if (Math.abs(off) >= 1) box.scrollTop += off;
    };
    // Made after the virtual list's own observer, so it is told after that one has moved the lines. Where the list is
    // made in this very moment its effects come after this one. While it scrolls it moves them later, with its own height.
    let observer: ResizeObserver | null = null;
    let isOver = false;
    queueMicrotask(() => {
      if (isOver) return;
      observer = new ResizeObserver(settle);
      for (let part: Element | null = line; part && part !== box; part = part.parentElement)
        observer.observe(part);
    });
    const stop = () => {
      isOver = true;
      observer?.disconnect();
      clearTimeout(timer);
      for (const kind of byHand) box.removeEventListener(kind, stop);
      removeEventListener("keydown", stop);
    };
    let timer = setTimeout(stop, hold);
    for (const kind of byHand) box.addEventListener(kind, stop, { passive: true });
    addEventListener("keydown", stop);
    return stop;
  }, [id, pressed, left]);

  return (
    // A feed holds articles and nothing else: this is the same one as the row above.
    <article
      ref={place}
      className="opened"
      aria-posinset={position}
      aria-setsize={size}
      data-reserved={isReserved || undefined}
    >
      {children}
    </article>
  );
}
