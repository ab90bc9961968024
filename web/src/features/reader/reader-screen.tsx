import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import {
  type ComponentType,
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { toApiError } from "@/data/api-error";
import { feedTitle, useFeeds, useFeedsById } from "@/data/feeds";
import { itemQuery, useItem } from "@/data/item";
import type { ShownList } from "@/data/mark-read";
import { type ReaderRoute, readerPath } from "@/data/routes";
import { useSetting } from "@/data/settings";
import { streamKey, useStream } from "@/data/stream";
import { useTree } from "@/data/tree";
import type { Feed, ItemId, ItemSummary } from "@/data/types";
import { closeSide, navigate, useSideOpen } from "@/data/use-route";
import { ErrorNote } from "@/ui/error-note";
import { useLate } from "@/ui/use-late";
import { phone, useMedia, wide } from "@/ui/use-media";
import { useActions, useDeedsSoon } from "./actions";
import { ArticlePlace, useArticleSoon } from "./article-place";
import { FeedNotice } from "./feed-notice";
import { ItemList, type ListHandle } from "./item-list";
import { ListPane } from "./list-pane";
import { ListSkeleton } from "./list-skeleton";
import { NoItem } from "./no-item";
import { useAutoRead } from "./use-auto-read";
import { useReaderCommands } from "./use-reader-commands";

// Not needed by every first screen.
const TabBar = lazy(() => import("./tab-bar").then((m) => ({ default: m.TabBar })));
const SideBar = lazy(() => import("./side/side-bar").then((m) => ({ default: m.SideBar })));
const NewItemsPill = lazy(() =>
  import("./new-items-pill").then((m) => ({ default: m.NewItemsPill })),
);
const ScrollRead = lazy(() => import("./scroll-read").then((m) => ({ default: m.ScrollRead })));
const EmptyList = lazy(() => import("./list-states").then((m) => ({ default: m.EmptyList })));

interface Props {
  route: ReaderRoute;
  Boundary: ComponentType<{ children: ReactNode; of?: string; pane?: string }>;
  onImport: () => void;
}

/** Side bar, list and article of one stream; what the URL says is what is shown. */
export function ReaderScreen({ route, Boundary, onImport }: Props) {
  const { stream, filter, item: openId } = route;
  const ownOrder = useSetting("order");
  const marksOnScroll = useSetting("markOnScroll");
  const order = route.order ?? ownOrder;
  const key = streamKey(stream, filter, order);
  const client = useQueryClient();
  const feeds = useFeeds();
  const feedsById = useFeedsById();
  const feed = stream.kind === "feed" ? feedsById.get(stream.id) : undefined;
  const list = useStream(stream, filter, order);
  const { items } = list;
  // What the first list does not need is asked for after it.
  const [isListed, setListed] = useState(false);
  useEffect(() => {
    if (!list.isPending) setListed(true);
  }, [list.isPending]);
  useArticleSoon(isListed);
  useDeedsSoon(isListed);
  const actions = useActions();
  const isPhone = useMedia(phone);
  const isWide = useMedia(wide);
  const isSideOpen = useSideOpen() && !isWide;

  const listHandle = useRef<ListHandle>(null);
  const listHeading = useRef<HTMLHeadingElement>(null);
  const articleHeading = useRef<HTMLHeadingElement>(null);
  const articleScroll = useRef<HTMLDivElement>(null);
  const [cursorByList, setCursorByList] = useState<Record<string, ItemId>>({});
  const cursor = cursorByList[key] ?? openId;
  const setCursor = useCallback(
    (id: ItemId) => setCursorByList((old) => (old[key] === id ? old : { ...old, [key]: id })),
    [key],
  );

  const openIndex = useMemo(() => items.findIndex((one) => one.id === openId), [items, openId]);
  const summary = items[openIndex];
  const next: ItemSummary | undefined = openIndex >= 0 ? items[openIndex + 1] : undefined;
  const previous: ItemSummary | undefined = openIndex > 0 ? items[openIndex - 1] : undefined;

  // Enter and phones go into the article; elsewhere the focus stays in the list.
  const wantHeading = useRef(false);
  const openItem = useCallback(
    (id: ItemId, intoArticle = false) => {
      wantHeading.current = intoArticle || matchMedia(phone).matches;
      setCursor(id);
      // Walking from item to item is one step of the history, not a hundred.
      navigate(readerPath(stream, filter, id, route), { replace: openId !== null });
    },
    [stream, filter, route, openId, setCursor],
  );
  const onOpen = useCallback((id: ItemId) => openItem(id), [openItem]);
  const closeItem = useCallback(() => {
    if (openId !== null) setCursor(openId);
    navigate(readerPath(stream, filter, null, route), { replace: true });
    const index = openIndex;
    requestAnimationFrame(() => {
      if (index >= 0) listHandle.current?.focusRow(index);
      else listHeading.current?.focus();
    });
  }, [stream, filter, route, openId, openIndex, setCursor]);

  const name = useMemo(() => ({ stream, filter, order }), [stream, filter, order]);
  const shown: ShownList = { ...name, items, asOf: list.asOf };
  useReaderCommands({
    route,
    list: shown,
    cursor,
    openIndex,
    feed,
    actions,
    listHandle,
    articleHeading,
    articleScroll,
    openItem,
    closeItem,
    setCursor,
    isSideOpen,
    hasMore: list.hasNextPage,
    loadMore: () => void list.fetchNextPage(),
  });
  useAutoRead(openId, actions);

  // Another stream starts at its heading, and the open row of a deep link is brought into view.
  const seen = useRef<string | null>(null);
  useEffect(() => {
    const isLost = document.activeElement === document.body;
    if (isLost || (seen.current !== null && seen.current !== key && openId === null)) {
      listHeading.current?.focus({ preventScroll: true });
    }
    seen.current = key;
  }, [key, openId]);
  useEffect(() => {
    if (openIndex >= 0) listHandle.current?.reveal(openIndex);
  }, [openIndex]);

  // The bodies of the next two are there before they are asked for.
  const after = items[openIndex + 2];
  useEffect(() => {
    const saves = (navigator as { connection?: { saveData?: boolean } }).connection?.saveData;
    if (openIndex < 0 || saves) return;
    const timer = setTimeout(() => {
      for (const one of [next, after]) if (one) void client.prefetchQuery(itemQuery(one.id));
    }, 300);
    return () => clearTimeout(timer);
  }, [openIndex, next, after, client]);

  const title = useTitle(route, feed);
  const unread =
    stream.kind === "feed"
      ? feed?.unreadCount
      : "id" in stream
        ? undefined
        : feeds.data?.totals.unread;
  useEffect(() => {
    document.title = `${unread ? `(${unread}) ` : ""}${title || "Ruri Reader"}${title ? " · Ruri" : ""}`;
  }, [title, unread]);

  return (
    <div
      className="frame"
      data-view={openId === null ? "list" : "article"}
      data-side={isSideOpen ? "open" : undefined}
    >
      <Boundary pane="side">
        <Suspense fallback={<div className="side" />}>
          {isListed ? (
            <SideBar route={route} onImport={onImport} isScreen={isPhone && isSideOpen} />
          ) : (
            <div className="side" />
          )}
        </Suspense>
      </Boundary>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same (command "back") */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the scrim only takes clicks */}
      <div className="scrim" onClick={closeSide} />
      <main className="contents">
        <Boundary of={key} pane="list-pane">
          <ListPane
            route={route}
            feed={feed}
            title={title}
            headingRef={listHeading}
            hasCursor={cursor !== null}
            onUnsubscribe={actions.unsubscribe}
            hasMenus={isListed}
          >
            {isListed && (
              <Suspense fallback={null}>
                <NewItemsPill
                  key={key}
                  name={name}
                  pages={list.data?.pages}
                  items={items}
                  listHandle={listHandle}
                />
              </Suspense>
            )}
            {marksOnScroll && (
              <Suspense fallback={null}>
                <ScrollRead key={key} items={items} actions={actions} />
              </Suspense>
            )}
            <ListContent
              list={list}
              isWaiting={list.isPending || (stream.kind === "feed" && feeds.isPending)}
              render={() => (
                <ItemList
                  key={key}
                  ref={listHandle}
                  listKey={key}
                  route={route}
                  items={items}
                  feeds={feedsById}
                  cursor={cursor}
                  isEnd={!list.hasNextPage}
                  isLoadingMore={list.isFetchingNextPage}
                  moreError={list.isFetchNextPageError ? list.error : null}
                  onMore={() => void list.fetchNextPage()}
                  onOpen={onOpen}
                  onCursor={setCursor}
                  onStar={actions.toggleStar}
                  before={feed && <FeedNotice feed={feed} actions={actions} />}
                />
              )}
              empty={
                <>
                  {feed && <FeedNotice feed={feed} actions={actions} />}
                  <Suspense fallback={null}>
                    <EmptyList
                      route={route}
                      feed={feed}
                      hasFeeds={(feeds.data?.feeds.length ?? 1) > 0}
                      onImport={onImport}
                    />
                  </Suspense>
                </>
              }
            />
          </ListPane>
        </Boundary>
        <Boundary key={`article ${openId}`} pane="article-pane">
          {openId === null ? (
            <NoItem />
          ) : (
            <ArticlePlace
              route={route}
              id={openId}
              summary={summary}
              feeds={feedsById}
              previous={previous}
              next={next}
              place={{ title, index: openIndex, count: items.length, isAll: !list.hasNextPage }}
              headingRef={articleHeading}
              wantsFocus={wantHeading}
              scrollRef={articleScroll}
              actions={actions}
            />
          )}
        </Boundary>
      </main>
      {isPhone && (
        <Boundary>
          <Suspense fallback={<nav className="tabbar" />}>
            <PhoneBar
              route={route}
              summary={summary}
              isSideOpen={isSideOpen}
              hasNext={!!next}
              actions={actions}
            />
          </Suspense>
        </Boundary>
      )}
    </div>
  );
}

/** What the stream is called; empty while that is on its way. */
function useTitle({ stream, filter }: ReaderRoute, feed: Feed | undefined): string {
  const { t } = useLingui();
  const feeds = useFeeds();
  const tree = useTree();
  switch (stream.kind) {
    case "feed":
      return feed ? feedTitle(feed) : feeds.data ? t`Unknown feed` : "";
    case "folder": {
      const folder = tree.data?.folders.find((one) => one.id === stream.id);
      return folder ? folder.name : tree.data ? t`Unknown folder` : "";
    }
    case "label": {
      const label = tree.data?.labels.find((one) => one.id === stream.id);
      return label ? label.name : tree.data ? t`Unknown label` : "";
    }
    case "starred":
      return t`Starred`;
    case "all":
      return filter === "unread" ? t`Unread` : t`All items`;
  }
}

interface PhoneBarProps {
  route: ReaderRoute;
  summary: ItemSummary | undefined;
  isSideOpen: boolean;
  hasNext: boolean;
  actions: ReturnType<typeof useActions>;
}

function PhoneBar({ summary, ...rest }: PhoneBarProps) {
  return rest.route.item !== null && !summary ? (
    <LoneItemBar id={rest.route.item} {...rest} />
  ) : (
    <TabBar item={summary} {...rest} />
  );
}

/** A deep link: the item is known only from its own request. */
function LoneItemBar({ id, ...rest }: Omit<PhoneBarProps, "summary"> & { id: ItemId }) {
  const item = useItem(id);
  return <TabBar item={item.data} {...rest} />;
}

interface ListContentProps {
  list: ReturnType<typeof useStream>;
  /** Something above the rows is still to come, too: shown before it, they would move. */
  isWaiting: boolean;
  render: () => ReactNode;
  empty: ReactNode;
}

function ListContent({ list, isWaiting, render, empty }: ListContentProps) {
  const late = useLate(isWaiting);
  if (isWaiting) {
    return (
      <div className="scroll" aria-busy="true">
        <span className="sr-only" role="status">
          {late && <Trans>Loading…</Trans>}
        </span>
        {late && <ListSkeleton />}
      </div>
    );
  }
  if (list.items.length > 0) return render();
  if (list.isError && toApiError(list.error).status !== 401) {
    return (
      <div className="scroll p-4">
        <ErrorNote error={list.error} onRetry={() => void list.refetch()} />
      </div>
    );
  }
  return <div className="scroll">{empty}</div>;
}
