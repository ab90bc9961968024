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
import { itemQuery, useKnownItem } from "@/data/item";
import type { ShownList } from "@/data/mark-read";
import { type ReaderRoute, readerPath } from "@/data/routes";
import { useSetting } from "@/data/settings";
import { streamKey, useStream } from "@/data/stream";
import { feedsOf, useTree } from "@/data/tree";
import type { Feed, ItemId, ItemSummary } from "@/data/types";
import { closeSide, leaveItem, showItem, useSideOpen } from "@/data/use-route";
import { loadTransitions, transition } from "@/ui/transition";
import { useLate } from "@/ui/use-late";
import { phone, useMedia, wide } from "@/ui/use-media";
import { useActions, useDeedsSoon } from "./actions";
import { ArticlePlace, useArticleSoon } from "./article-place";
import { ItemList, type ListHandle } from "./item-list";
import { ListPane } from "./list-pane";
import { ListSkeleton } from "./list-skeleton";
import { NoItem } from "./no-item";
import { placeOf } from "./places";
import { useAutoRead } from "./use-auto-read";
import { useReaderCommands } from "./use-reader-commands";
import { useShape } from "./use-shape";

// Not needed by every first screen.
const TabBar = lazy(() => import("./tab-bar").then((m) => ({ default: m.TabBar })));
const SideBar = lazy(() => import("./side/side-bar").then((m) => ({ default: m.SideBar })));
const NewItemsPill = lazy(() =>
  import("./new-items-pill").then((m) => ({ default: m.NewItemsPill })),
);
const ScrollRead = lazy(() => import("./scroll-read").then((m) => ({ default: m.ScrollRead })));
const loadNotice = () => import("./feed-notice");
const FeedNotice = lazy(() => loadNotice().then((m) => ({ default: m.FeedNotice })));
const loadStates = () => import("./list-states");
const EmptyList = lazy(() => loadStates().then((m) => ({ default: m.EmptyList })));
const ListError = lazy(() => loadStates().then((m) => ({ default: m.ListError })));

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
  const { items, fetchNextPage } = list;
  // Asked twice for the same page, it is loaded once.
  const loadMore = useCallback(() => void fetchNextPage({ cancelRefetch: false }), [fetchNextPage]);
  const actions = useActions();
  const openIndex = useMemo(() => items.findIndex((one) => one.id === openId), [items, openId]);
  const summary = items[openIndex];
  const isItemComing = useAutoRead(openId, summary, actions);
  const isPhone = useMedia(phone);
  // Behind an item that fills the screen nobody sees the list: who comes by an item's address has the item first.
  const [isItemFirst, setItemFirst] = useState(isPhone && openId !== null);
  const isBehind = isItemFirst && isPhone && openId !== null;
  useEffect(() => {
    if (!isItemFirst || (isBehind && isItemComing)) return;
    const frame = requestAnimationFrame(() => setTimeout(() => setItemFirst(false)));
    return () => cancelAnimationFrame(frame);
  }, [isItemFirst, isBehind, isItemComing]);
  const isWaiting = list.isPending || isBehind;
  // What the first list does not need is asked for after it.
  const [isListed, setListed] = useState(false);
  useEffect(() => {
    if (isWaiting) return;
    // After the frame in which the rows are drawn.
    const frame = requestAnimationFrame(() => setTimeout(() => setListed(true)));
    return () => cancelAnimationFrame(frame);
  }, [isWaiting]);
  useArticleSoon(isListed);
  // What stands above the rows of a feed comes with them, or they would move.
  const isFeed = stream.kind === "feed";
  // Refused once, they are asked for again by whoever comes later: rows that are there stay.
  const areFeedsComing = feeds.isPending && feeds.errorUpdateCount === 0;
  useEffect(() => {
    if ((isFeed && !isBehind) || isListed) void loadNotice().catch(() => undefined);
    // Once the network is gone, its words cannot come any more.
    if (isListed) void loadStates().catch(() => undefined);
    if (isListed) loadTransitions();
  }, [isFeed, isBehind, isListed]);
  useDeedsSoon(isListed);
  const isWide = useMedia(wide);
  const isSideOpen = useSideOpen() && !isWide;
  const shape = useShape(route);
  const isInline = useSetting("layout") === "inline" && !isPhone;

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

  const next: ItemSummary | undefined = openIndex >= 0 ? items[openIndex + 1] : undefined;
  const previous: ItemSummary | undefined = openIndex > 0 ? items[openIndex - 1] : undefined;

  // Enter and phones go into the article; elsewhere the focus stays in the list.
  const wantHeading = useRef(false);
  const pathOf = useCallback(
    (id: ItemId | null) => readerPath(stream, filter, id, route),
    [stream, filter, route],
  );
  const openItem = useCallback(
    (id: ItemId, intoArticle = false) => {
      wantHeading.current = intoArticle || matchMedia(phone).matches;
      setCursor(id);
      const show = () => showItem(pathOf(id), pathOf(null), openId !== null);
      if (openId === null && matchMedia(phone).matches) transition("push", show, id);
      else show();
    },
    [pathOf, openId, setCursor],
  );
  const closeItem = useCallback(() => {
    if (openId !== null) setCursor(openId);
    const index = openIndex;
    const close = async () => {
      await leaveItem(pathOf(null));
      requestAnimationFrame(() => {
        if (index >= 0) listHandle.current?.focusRow(index);
        else listHeading.current?.focus();
      });
    };
    if (matchMedia(phone).matches) transition("pop", close, openId);
    else void close();
  }, [pathOf, openId, openIndex, setCursor]);

  // In place, a press on the open row closes it.
  const onOpen = (id: ItemId) => (isInline && id === openId ? closeItem() : openItem(id));

  const name = useMemo(() => ({ stream, filter, order }), [stream, filter, order]);
  const shown: ShownList = { ...name, items, asOf: list.asOf };
  useReaderCommands({
    route,
    list: shown,
    cursor,
    openIndex,
    actions,
    listHandle,
    articleHeading,
    articleScroll,
    openItem,
    closeItem,
    setCursor,
    isSideOpen,
    hasMore: list.hasNextPage,
    loadMore: loadMore,
  });

  // Another stream starts at its heading, and the open row of a deep link is brought into view.
  const seen = useRef<string | null>(null);
  useEffect(() => {
    const isLost = document.activeElement === document.body;
    if (isLost || (seen.current !== null && seen.current !== key && openId === null)) {
      listHeading.current?.focus({ preventScroll: true });
    }
    seen.current = key;
  }, [key, openId]);
  // But a list that is left somewhere comes back there, with whatever is open in it.
  const settled = useRef<{ key: string; id: ItemId | null }>({ key: "", id: null });
  useEffect(() => {
    if (settled.current.key !== key) settled.current = { key, id: placeOf(key) ? openId : null };
    if (openIndex < 0 || settled.current.id === openId) return;
    settled.current.id = openId;
    listHandle.current?.reveal(openIndex);
  }, [key, openId, openIndex]);

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
  const article = openId !== null && (
    <ArticlePlace
      key={openId}
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
  );
  const notice = feed && <FeedNotice feed={feed} actions={actions} />;
  // An item that the list does not hold (a deep link) has no row to open under.
  const isLone = isInline && openId !== null && openIndex < 0 && !list.isPending;
  const unread = useUnread(route, feed);
  useEffect(() => {
    document.title = `${unread ? `(${unread}) ` : ""}${title || "Ruri Reader"}${title ? " · Ruri" : ""}`;
  }, [title, unread]);

  return (
    <div
      className="frame"
      data-view={openId === null ? "list" : "article"}
      data-layout={isInline ? (isLone ? "lone" : "inline") : undefined}
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
            shape={shape}
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
            <Suspense fallback={<div className="scroll" aria-busy="true" />}>
              <ListContent
                list={list}
                isWaiting={isWaiting || (isFeed && areFeedsComing)}
                render={() => (
                  <ItemList
                    key={`${key}|${shape.view}|${shape.density}`}
                    ref={listHandle}
                    listKey={key}
                    route={route}
                    shape={shape}
                    items={items}
                    feeds={feedsById}
                    cursor={cursor}
                    isEnd={!list.hasNextPage}
                    isLoadingMore={list.isFetchingNextPage}
                    moreError={
                      list.isFetchNextPageError && (
                        <Suspense fallback={null}>
                          <ListError error={list.error} onRetry={loadMore} />
                        </Suspense>
                      )
                    }
                    onMore={loadMore}
                    onOpen={onOpen}
                    onCursor={setCursor}
                    onStar={actions.toggleStar}
                    onRead={actions.toggleRead}
                    onPin={actions.togglePin}
                    onMark={(part) => void actions.markList(shown, part)}
                    renderOpen={
                      isInline
                        ? () => (
                            <Boundary key={`article ${openId}`} pane="article-pane">
                              {article}
                            </Boundary>
                          )
                        : undefined
                    }
                    before={notice}
                  />
                )}
                empty={
                  <>
                    {notice}
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
            </Suspense>
          </ListPane>
        </Boundary>
        {(!isInline || isLone) && (
          <Boundary key={`article ${openId}`} pane="article-pane">
            {article || <NoItem />}
          </Boundary>
        )}
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

/** How much of the stream is unread: with that the tab's title begins. Nobody counts what labels hold. */
function useUnread({ stream }: ReaderRoute, feed: Feed | undefined): number | undefined {
  const { data } = useFeeds();
  const tree = useTree().data;
  const inFolder = useMemo(
    () =>
      stream.kind === "folder"
        ? feedsOf(stream, data?.feeds, tree)?.reduce((sum, one) => sum + one.unreadCount, 0)
        : undefined,
    [stream, data, tree],
  );
  if (stream.kind === "feed") return feed?.unreadCount;
  if (stream.kind === "folder") return inFolder;
  return stream.kind === "all" ? data?.totals.unread : undefined;
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
  return <TabBar item={useKnownItem(id)} {...rest} />;
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
      <div className="scroll">
        <div className="p-4">
          <Suspense fallback={null}>
            <ListError error={list.error} onRetry={() => void list.refetch()} />
          </Suspense>
        </div>
      </div>
    );
  }
  return <div className="scroll">{empty}</div>;
}
