import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { VirtualizerHandle } from "virtua";
import type { ItemId, ItemSummary } from "@/data/types";
import { type Line, lineAt } from "./lines";
import { keepPlace, placeOf, savePlaces } from "./places";

interface Args {
  listKey: string;
  items: readonly ItemSummary[];
  lines: readonly Line[];
  open: ItemId | null;
  isEnd: boolean;
  onMore: () => void;
  scroller: RefObject<HTMLElement | null>;
  list: RefObject<VirtualizerHandle | null>;
  /** How much stands above the first line; null before it is measured. */
  margin: number | null;
  columns: number;
}

interface ListPlace {
  /** Changes when the virtual list must be made anew, for how many items: only then does it take all their sizes. */
  mountedFor: number;
  /** To be called while the list scrolls. */
  noteScroll: () => void;
}

/** Brings a list to where it was left, and remembers where it is. */
export function useListPlace(args: Args): ListPlace {
  const { listKey, items, margin, columns, scroller, list } = args;
  const latest = useRef(args);
  latest.current = args;
  /** The place that is still to be found: the items down to it may have to be loaded first. */
  const sought = useRef(placeOf(listKey));
  const columnsBefore = useRef(columns);
  const [mountedFor, setMountedFor] = useState(items.length);
  const edge = useRef(0);

  useLayoutEffect(() => {
    const box = scroller.current;
    const handle = list.current;
    if (columnsBefore.current !== columns) sought.current = placeOf(listKey);
    columnsBefore.current = columns;
    const place = sought.current;
    if (!box || !handle || margin === null || !place) return;
    const { lines, isEnd, open, onMore } = latest.current;
    const index = items.findIndex((item) => item.id === place.id);
    if (index < 0) {
      if (!isEnd && items.length <= place.index) onMore();
      else sought.current = undefined;
      return;
    }
    if (mountedFor < index) return setMountedFor(items.length);
    const line = lineAt(lines, index);
    // Under another look its line may be lower than what was above the edge.
    const fits = place.within < handle.getItemSize(line) || place.id === open;
    const wanted = margin + handle.getItemOffset(line) + (fits ? place.within : 0);
    box.scrollTop = wanted;
    edge.current = box.scrollTop;
    // What stands below it has to be there, too, for the place to come up to the edge.
    if (isEnd || box.scrollTop > wanted - 1) sought.current = undefined;
    else onMore();
  }, [items, margin, columns, listKey, scroller, list, mountedFor]);

  // Whoever scrolls by hand does not want to be taken elsewhere.
  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const give = () => {
      sought.current = undefined;
    };
    const kinds = ["wheel", "touchmove", "keydown"] as const;
    for (const kind of kinds) box.addEventListener(kind, give, { passive: true });
    addEventListener("pagehide", savePlaces);
    return () => {
      for (const kind of kinds) box.removeEventListener(kind, give);
      removeEventListener("pagehide", savePlaces);
    };
  }, [scroller]);

  const noteScroll = useCallback(() => {
    const { lines, margin, listKey } = latest.current;
    const box = scroller.current;
    const handle = list.current;
    if (!box || !handle || margin === null || sought.current) return;
    const top = box.scrollTop;
    const at = handle.findItemIndex(top);
    const line = lines[at];
    const id = line?.items[0]?.id;
    if (line && id !== undefined) {
      const within = top - margin - handle.getItemOffset(at);
      keepPlace(listKey, { id, within, index: line.first });
    }
    // On phones the bar above the list makes room while one reads on, and is there again on the way back.
    if (Math.abs(top - edge.current) < 8) return;
    const pane = box.closest<HTMLElement>(".list-pane");
    if (pane) pane.dataset.bar = top > edge.current && top > 120 ? "away" : "there";
    edge.current = top;
  }, [scroller, list]);
  return { mountedFor, noteScroll };
}
