import { useQueryClient } from "@tanstack/react-query";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { itemQuery } from "@/data/item";
import { type ReaderRoute, readerPath } from "@/data/routes";
import type { ItemId, ItemSummary } from "@/data/types";
import { leaveItem, showItem } from "@/data/use-route";
import { transition } from "@/ui/transition";
import { phone } from "@/ui/use-media";
import type { ListHandle } from "./item-list";

interface Args {
  route: ReaderRoute;
  listKey: string;
  items: readonly ItemSummary[];
  /** Of the open item; -1 when it is not in the list. */
  openIndex: number;
  listHandle: RefObject<ListHandle | null>;
  listHeading: RefObject<HTMLHeadingElement | null>;
}

/** The cursor in the list, opening and closing items. */
export function useOpenItem({ route, listKey, items, openIndex, listHandle, listHeading }: Args) {
  const { stream, filter, item: openId } = route;
  const [cursors, setCursors] = useState<Record<string, ItemId>>({});
  const setCursor = useCallback(
    (id: ItemId) => setCursors((old) => (old[listKey] === id ? old : { ...old, [listKey]: id })),
    [listKey],
  );
  // Enter, and phones, focus the article; otherwise the focus stays in the list.
  const wantsHeading = useRef(false);
  const pathOf = useCallback(
    (id: ItemId | null) => readerPath(stream, filter, id, route),
    [stream, filter, route],
  );
  const openItem = useCallback(
    (id: ItemId, intoArticle = false) => {
      const isPhone = matchMedia(phone).matches;
      wantsHeading.current = intoArticle || isPhone;
      setCursor(id);
      const show = () => showItem(pathOf(id), pathOf(null), openId !== null);
      if (openId === null && isPhone) transition("push", show, id);
      else show();
    },
    [pathOf, openId, setCursor],
  );
  const closeItem = useCallback(() => {
    if (openId !== null) setCursor(openId);
    const close = async () => {
      await leaveItem(pathOf(null));
      requestAnimationFrame(() => {
        if (openIndex >= 0) listHandle.current?.focusRow(openIndex);
        else listHeading.current?.focus();
      });
    };
    if (matchMedia(phone).matches) transition("pop", close, openId);
    else void close();
  }, [pathOf, openId, openIndex, setCursor, listHandle, listHeading]);

  const next = openIndex >= 0 ? items[openIndex + 1] : undefined;
  usePrefetch(next, openIndex >= 0 ? items[openIndex + 2] : undefined);
  return {
    cursor: cursors[listKey] ?? openId,
    setCursor,
    wantsHeading,
    openItem,
    closeItem,
    previous: openIndex > 0 ? items[openIndex - 1] : undefined,
    next,
  };
}

/** Loads the texts of the next two items in advance. */
function usePrefetch(next: ItemSummary | undefined, after: ItemSummary | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    const saves = (navigator as { connection?: { saveData?: boolean } }).connection?.saveData;
    if (saves || !next) return;
    const timer = setTimeout(() => {
      for (const one of [next, after]) if (one) void client.prefetchQuery(itemQuery(one.id));
    }, 300);
    return () => clearTimeout(timer);
  }, [next, after, client]);
}
