import { type RefObject, useEffect, useRef } from "react";
import { scrollPosition } from "@/data/scroll-positions";
import type { ItemId } from "@/data/types";
import type { ListHandle } from "./item-list";

interface Args {
  listKey: string;
  openId: ItemId | null;
  openIndex: number;
  listHandle: RefObject<ListHandle | null>;
  listHeading: RefObject<HTMLHeadingElement | null>;
}

/** Focuses the heading of another stream, and brings the open row of a deep link into view. */
export function useListFocus({ listKey, openId, openIndex, listHandle, listHeading }: Args): void {
  const focused = useRef<string | null>(null);
  useEffect(() => {
    const isLost = document.activeElement === document.body;
    const isOther = focused.current !== null && focused.current !== listKey;
    const isSearching = document.activeElement?.closest(".search-box,.search-head") != null;
    if (isLost || (isOther && openId === null && !isSearching))
      listHeading.current?.focus({ preventScroll: true });
    focused.current = listKey;
  }, [listKey, openId, listHeading]);

  // A list with a stored scroll position returns there instead, with whatever is open in it.
  const revealed = useRef<{ listKey: string; id: ItemId | null }>({ listKey: "", id: null });
  useEffect(() => {
    if (revealed.current.listKey !== listKey)
      revealed.current = { listKey, id: scrollPosition(listKey) ? openId : null };
    if (openIndex < 0 || revealed.current.id === openId) return;
    revealed.current.id = openId;
    listHandle.current?.reveal(openIndex);
  }, [listKey, openId, openIndex, listHandle]);
}
