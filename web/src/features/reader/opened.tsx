import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { itemQuery } from "@/data/item";
import type { ScrollPosition } from "@/data/scroll-positions";
import type { ItemId } from "@/data/types";

interface Props {
  id: ItemId;
  position: number;
  size: number;
  /** The item whose row was clicked last. */
  pressed: RefObject<ItemId | null>;
  /** The restored scroll position, until the first item is opened. */
  left: RefObject<ScrollPosition | undefined>;
  children: ReactNode;
}

/** Milliseconds for which a position is held after the last resize: a text may load slowly. */
const hold = 5_000;
const byHand = ["wheel", "touchstart", "pointerdown"] as const;
/** Milliseconds of rest after which the next item grows from its row; while one steps quickly nothing moves. */
const rest = 400;
let openedAt = Number.NEGATIVE_INFINITY;

function isAfterRest(): boolean {
  const before = openedAt;
  openedAt = performance.now();
  return openedAt - before > rest;
}

/**
 * The item below its row. A row opened by a click keeps its position on the screen, whatever closes above it; one opened
 * otherwise is scrolled to the top; one that was open when the list was left returns to its position. A text that is not
 * loaded gets the height of a screen, so that nothing moves.
 */
export function Opened({ id, position, size, pressed, left, children }: Props) {
  const client = useQueryClient();
  const [isReserved] = useState(() => client.getQueryData(itemQuery(id).queryKey) === undefined);
  const [grows] = useState(() => isAfterRest() && left.current === undefined);
  const place = useRef<HTMLElement>(null);

  useLayoutEffect(() => {
    const line = place.current?.closest<HTMLElement>(".line");
    const box = line?.closest<HTMLElement>(".scroll");
    if (!line || !box) return;
    const { id: leftAt, within = 0 } = left.current ?? {};
    left.current = undefined;
    // The restored position shows it already.
    if (leftAt !== undefined && leftAt !== id) return;
    const top = () => line.getBoundingClientRect().top - box.getBoundingClientRect().top;
    // Lines have not moved yet: measures what the person saw. Only where it counts, because it costs a layout.
    const want = pressed.current === id ? top() : leftAt === id ? -within : 0;
    pressed.current = null;
    const settle = () => {
      // It was continued where one stopped.
      if (place.current?.querySelector("[data-continued]")) return stop();
      clearTimeout(timer);
      timer = setTimeout(stop, hold);
      const off = top() - want;
      if (Math.abs(off) >= 1) box.scrollTop += off;
    };
    // Created after the observer of the virtual list, to be notified after that has moved the lines; in a microtask,
    // because the effects of a list that mounts now run after this one.
    let observer: ResizeObserver | null = null;
    let isStopped = false;
    queueMicrotask(() => {
      if (isStopped) return;
      observer = new ResizeObserver(settle);
      for (let part: Element | null = line; part && part !== box; part = part.parentElement)
        observer.observe(part);
    });
    // Only a key that scrolls: others may be pressed while the text loads.
    const onKey = () => {
      const was = box.scrollTop;
      requestAnimationFrame(() => {
        if (box.scrollTop !== was) stop();
      });
    };
    const stop = () => {
      isStopped = true;
      observer?.disconnect();
      clearTimeout(timer);
      for (const kind of byHand) box.removeEventListener(kind, stop);
      removeEventListener("keydown", onKey);
    };
    let timer = setTimeout(stop, hold);
    for (const kind of byHand) box.addEventListener(kind, stop, { passive: true });
    addEventListener("keydown", onKey);
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
      data-grows={grows || undefined}
    >
      {children}
    </article>
  );
}
