import { type RefObject, useEffect, useRef } from "react";
import { type ReaderRoute, readerPath } from "@/data/routes";
import type { ItemId, ItemSummary, Mode } from "@/data/types";
import { navigate } from "@/data/use-route";
import type { ListHandle } from "./item-list";

interface Args {
  mode: Mode;
  route: ReaderRoute;
  cursor: ItemId | null;
  openIndex: number;
  items: readonly ItemSummary[];
  listHandle: RefObject<ListHandle | null>;
  setCursor: (id: ItemId) => void;
}

/** Another mode shows the item where one was. In Stream no item is open: an address of one leads to its head. */
export function useModeChange(args: Args): void {
  const { mode, route, openIndex, listHandle } = args;
  const latest = useRef(args);
  latest.current = args;
  const before = useRef(mode);
  const isOpenInStream = mode === "stream" && openIndex >= 0;
  useEffect(() => {
    const { cursor, items, setCursor } = latest.current;
    const isOther = before.current !== mode;
    before.current = mode;
    if (!isOther && !isOpenInStream) return;
    const at = openIndex >= 0 ? openIndex : items.findIndex((item) => item.id === cursor);
    const item = items[at];
    if (!item) return;
    if (isOpenInStream) {
      setCursor(item.id);
      navigate(readerPath(route.stream, route.filter, null, route), { replace: true });
    }
    // The list of the other mode restores its position first. The address changes meanwhile.
    requestAnimationFrame(() => listHandle.current?.focusRow(at));
  }, [mode, isOpenInStream, openIndex, route, listHandle]);
}
