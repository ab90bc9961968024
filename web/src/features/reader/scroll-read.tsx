import { useEffect, useRef } from "react";
import type { ItemId, ItemSummary } from "@/data/types";
import type { Actions } from "./actions";

interface Props {
  items: readonly ItemSummary[];
  actions: Actions;
}

/** Milliseconds for which a row must have been visible. */
const seenFor = 300;
/** Scrolling by inertia counts until it pauses for so many milliseconds. */
const flingGap = 200;
const scrollKeys = ["ArrowDown", "PageDown", " "];

/**
 * Marks rows read that the person scrolled past: visible for a moment, then out of view at the top by wheel, finger or key.
 * Restored positions, jumps and growing lists mark nothing.
 */
export function ScrollRead({ items, actions }: Props) {
  const place = useRef<HTMLSpanElement>(null);
  const latest = useRef({ items, actions });
  latest.current = { items, actions };

  useEffect(() => {
    const pane = place.current?.parentElement;
    if (!pane) return;
    // Lets the last rows scroll out of view too (list.css).
    pane.dataset.marks = "scroll";
    const seen = new Map<ItemId, number>();
    let meantAt = Number.NEGATIVE_INFINITY;
    let top = 0;

    const look = (box: HTMLElement) => {
      const now = performance.now();
      const isMeant = now - meantAt < flingGap;
      if (isMeant) meantAt = now;
      const isDown = box.scrollTop > top;
      top = box.scrollTop;
      const visible = visibleRows(box);
      for (const [id, since] of seen) {
        if (visible.has(id)) continue;
        seen.delete(id);
        if (!isMeant || !isDown || now - since < seenFor) continue;
        const item = latest.current.items.find((one) => one.id === id);
        if (item) latest.current.actions.setRead(item, true);
      }
      for (const id of visible) if (!seen.has(id)) seen.set(id, now);
    };

    const stop = new AbortController();
    const listen = { capture: true, passive: true, signal: stop.signal };
    const meant = () => {
      const box = pane.querySelector<HTMLElement>(":scope > .scroll");
      // Rows that are visible when scrolling begins have been seen.
      if (box && seen.size === 0) look(box);
      meantAt = performance.now();
    };
    pane.addEventListener("wheel", meant, listen);
    pane.addEventListener("touchmove", meant, listen);
    pane.addEventListener("keydown", (event) => scrollKeys.includes(event.key) && meant(), listen);
    pane.addEventListener(
      "scroll",
      (event) => event.target instanceof HTMLElement && look(event.target),
      listen,
    );
    // The first rows appear without a scroll event.
    const timer = setInterval(() => {
      const box = pane.querySelector<HTMLElement>(":scope > .scroll");
      if (!box || seen.size > 0) return;
      top = box.scrollTop;
      for (const id of visibleRows(box)) seen.set(id, performance.now());
    }, 100);
    return () => {
      stop.abort();
      clearInterval(timer);
      delete pane.dataset.marks;
    };
  }, []);

  return <span ref={place} hidden />;
}

function visibleRows(box: HTMLElement): Set<ItemId> {
  const edge = box.getBoundingClientRect();
  const ids = new Set<ItemId>();
  for (const row of box.querySelectorAll<HTMLElement>("[data-item]")) {
    const at = row.getBoundingClientRect();
    const id = row.dataset.item;
    if (id && at.bottom > edge.top && at.top < edge.bottom) ids.add(id);
  }
  return ids;
}
