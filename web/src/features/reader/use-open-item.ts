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

const none: readonly ItemSummary[] = [];

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
  // What is found while one types may be gone at the next key.
  const isTyped = stream.kind === "search" && stream.isTyped;
  usePrefetch(isTyped ? none : items, openIndex);
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

/** Loads the texts of the first ten items ahead, and of the next three of an open one, each in one request. */
function usePrefetch(items: readonly ItemSummary[], openIndex: number): void {
  const client = useQueryClient();
  const ids = (openIndex < 0 ? items.slice(0, 10) : items.slice(openIndex + 1, openIndex + 4))
    .map((item) => item.id)
    .join(" ");
  useEffect(() => {
    if (ids === "") return;
    // As long as the next two are there, the third can wait: three come in one request.
    const isThere = (id: ItemId) => client.getQueryData(itemQuery(id).queryKey) !== undefined;
    if (openIndex >= 0 && ids.split(" ").slice(0, 2).every(isThere)) return;
    // Somebody who walks on does not need them.
    const timer = setTimeout(
      () => void import("@/data/bodies").then((m) => m.prefetchBodies(client, ids.split(" "))),
      openIndex < 0 ? 800 : 300,
    );
    return () => clearTimeout(timer);
  }, [ids, openIndex, client]);
}
