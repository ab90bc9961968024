import { useCallback, useEffect, useMemo, useRef } from "react";
import { useFeedsById } from "@/data/feeds";
import type { ShownList } from "@/data/mutations/mark-read";
import type { ReaderRoute } from "@/data/routes";
import { useSetting } from "@/data/settings";
import { streamKey, useStream } from "@/data/stream";
import type { ItemId } from "@/data/types";
import { useSideOpen } from "@/data/use-route";
import { loadTransitions } from "@/ui/transition";
import { phone, useMedia, wide } from "@/ui/use-media";
import { useActions, usePreloadActions } from "./actions";
import { usePreloadArticle } from "./article-slot";
import type { ListHandle } from "./item-list";
import { useStreamTitle } from "./stream-title";
import { useAutoRead } from "./use-auto-read";
import { useListFocus } from "./use-list-focus";
import { useLoadingStages } from "./use-loading-stages";
import { useModeChange } from "./use-mode-change";
import { useOpenItem } from "./use-open-item";
import { useReaderCommands } from "./use-reader-commands";
import { useShape } from "./use-shape";

export type Reader = ReturnType<typeof useReader>;

/** The state of the reader for an address: its list, the open item, and what can be done. */
export function useReader(route: ReaderRoute) {
  const { stream, filter, item: openId } = route;
  const preferredOrder = useSetting("order");
  const order = route.order ?? preferredOrder;
  const listKey = streamKey(stream, filter, order);
  const feedsById = useFeedsById();
  const feed = stream.kind === "feed" ? feedsById.get(stream.id) : undefined;
  const list = useStream(stream, filter, order);
  const { items, fetchNextPage } = list;
  // Without cancelling: a page that is requested twice is loaded once.
  const loadMore = useCallback(() => void fetchNextPage({ cancelRefetch: false }), [fetchNextPage]);
  const actions = useActions();
  const openIndex = useMemo(() => items.findIndex((one) => one.id === openId), [items, openId]);
  const summary = items[openIndex];
  const isItemPending = useAutoRead(openId, summary, actions);
  const isPhone = useMedia(phone);
  const isWide = useMedia(wide);
  const shape = useShape(route, isPhone);
  /** One sheet: articles open in the list. */
  const isTodayPage = stream.kind === "today" && openId === null;
  const isInline = (isTodayPage || shape.mode !== "read") && !isPhone;
  const isSideOpen = useSideOpen() && !isWide;

  const stages = useLoadingStages({
    isPhone,
    hasOpenItem: openId !== null,
    isItemPending,
    isListPending: list.isPending,
  });
  const { isListed } = stages;
  useEffect(() => {
    if (isListed) loadTransitions();
  }, [isListed]);
  usePreloadArticle(isListed);
  usePreloadActions(isListed);

  const listHandle = useRef<ListHandle>(null);
  const listHeading = useRef<HTMLHeadingElement>(null);
  const articleHeading = useRef<HTMLHeadingElement>(null);
  const articleScroll = useRef<HTMLDivElement>(null);
  const open = useOpenItem({ route, listKey, items, openIndex, listHandle, listHeading });
  const { openItem, closeItem, cursor, setCursor } = open;

  const name = useMemo(() => ({ stream, filter, order }), [stream, filter, order]);
  const shown: ShownList = { ...name, items, asOf: list.asOf };
  useReaderCommands({
    route,
    list: shown,
    cursor,
    openIndex,
    actions,
    listHandle,
    mode: shape.mode,
    articleHeading,
    articleScroll,
    openItem,
    closeItem,
    setCursor,
    isSideOpen,
    hasMore: list.hasNextPage,
    loadMore,
  });
  useModeChange({ mode: shape.mode, route, cursor, openIndex, items, listHandle, setCursor });
  useListFocus({ listKey, openId, openIndex, listHandle, listHeading });

  return {
    route,
    listKey,
    name,
    list,
    items,
    shown,
    feed,
    feedsById,
    actions,
    shape,
    title: useStreamTitle(route, feed),
    ...open,
    openIndex,
    summary,
    loadMore,
    /** In the list a click on the open row closes it; in Stream it goes to the head. */
    onOpen: (id: ItemId) => {
      if (shape.mode === "stream") {
        setCursor(id);
        listHandle.current?.focusRow(items.findIndex((item) => item.id === id));
      } else if (isInline && id === openId) closeItem();
      else openItem(id);
    },
    isPhone,
    isInline,
    isTodayPage,
    isSideOpen,
    ...stages,
    listHandle,
    listHeading,
    articleHeading,
    articleScroll,
  };
}
