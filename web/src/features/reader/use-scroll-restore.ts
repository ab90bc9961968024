import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { VirtualizerHandle } from "virtua";
import { keepScrollPosition, saveScrollPositions, scrollPosition } from "@/data/scroll-positions";
import type { ItemId, ItemSummary } from "@/data/types";
import { moveBars, setBars } from "./bars";
import { type Line, lineAt } from "./lines";

interface Args {
  listKey: string;
  items: readonly ItemSummary[];
  lines: readonly Line[];
  open: ItemId | null;
  isEnd: boolean;
  onMore: () => void;
  scroller: RefObject<HTMLElement | null>;
  list: RefObject<VirtualizerHandle | null>;
  /** Height above the first line in px; null before it is measured. */
  margin: number | null;
  columns: number;
}

interface ScrollRestore {
  /** The number of items for which the virtual list was mounted; it must be mounted again when this changes. */
  mountedFor: number;
  /** To be called while the list scrolls. */
  onScroll: () => void;
}

/** Restores the scroll position of a list, and keeps it. */
export function useScrollRestore(args: Args): ScrollRestore {
  const { listKey, items, margin, columns, scroller, list } = args;
  const latest = useRef(args);
  latest.current = args;
  /** The position to be restored: items down to it may have to be loaded first. */
  const target = useRef(scrollPosition(listKey));
  const columnsBefore = useRef(columns);
  const [mountedFor, setMountedFor] = useState(items.length);
  const edge = useRef(0);

  useLayoutEffect(() => {
    const box = scroller.current;
    const handle = list.current;
    if (columnsBefore.current !== columns) target.current = scrollPosition(listKey);
    columnsBefore.current = columns;
    const position = target.current;
    if (!box || !handle || margin === null || !position) return;
    const { lines, isEnd, open, onMore } = latest.current;
    const index = items.findIndex((item) => item.id === position.id);
    if (index < 0) {
      if (!isEnd && items.length <= position.index) onMore();
      else target.current = undefined;
      return;
    }
    if (mountedFor < index) return setMountedFor(items.length);
    const line = lineAt(lines, index);
    // In another view its line may be smaller than what was above the edge.
    const fits = position.within < handle.getItemSize(line) || position.id === open;
    const wanted = margin + handle.getItemOffset(line) + (fits ? position.within : 0);
    box.scrollTop = wanted;
    edge.current = box.scrollTop;
    // The items below it must be loaded too, for it to reach the edge.
    if (isEnd || box.scrollTop > wanted - 1) target.current = undefined;
    else onMore();
  }, [items, margin, columns, listKey, scroller, list, mountedFor]);

  // Another list begins with its bars.
  useEffect(() => setBars("there"), []);
  // Scrolling by hand ends it.
  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const stop = () => {
      target.current = undefined;
    };
    // A press is on the scroll bar, too.
    const kinds = ["wheel", "touchmove", "pointerdown"] as const;
    for (const kind of kinds) box.addEventListener(kind, stop, { passive: true });
    // Keys walk through the list wherever the focus is.
    addEventListener("keydown", stop, true);
    addEventListener("pagehide", saveScrollPositions);
    return () => {
      for (const kind of kinds) box.removeEventListener(kind, stop);
      removeEventListener("keydown", stop, true);
      removeEventListener("pagehide", saveScrollPositions);
    };
  }, [scroller]);

  const onScroll = useCallback(() => {
    const { lines, margin, listKey } = latest.current;
    const box = scroller.current;
    const handle = list.current;
    if (!box || !handle || margin === null || target.current) return;
    const top = box.scrollTop;
    const at = handle.findItemIndex(top);
    const line = lines[at];
    const id = line?.items[0]?.id;
    if (line && id !== undefined) {
      const within = top - margin - handle.getItemOffset(at);
      keepScrollPosition(listKey, { id, within, index: line.first });
    }
    edge.current = moveBars(box, edge.current);
  }, [scroller, list]);
  return { mountedFor, onScroll };
}
