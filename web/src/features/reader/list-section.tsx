import { Trans } from "@lingui/react/macro";
import { type ComponentType, type ReactNode, Suspense, useEffect } from "react";
import { toApiError } from "@/data/api-error";
import { useFeeds } from "@/data/feeds";
import { isSearch } from "@/data/routes";
import { useSearched } from "@/data/searches";
import { useSetting } from "@/data/settings";
import { hasOwnOrder } from "@/data/stream";
import { go, readerPlace } from "@/data/use-route";
import { HoldKeys } from "@/keys/hold-keys";
import { late } from "@/ui/late";
import { lazyNamed } from "@/ui/lazy-named";
import { useDelayed } from "@/ui/use-delayed";
import { ListPane } from "./list-pane";
import { ListSkeleton } from "./list-skeleton";
import type { Reader } from "./use-reader";

// Today does not need the rows, nor they it; index.html preloads what the address needs.
const rows = late(() => import("./item-list").then((module) => module.ItemList));
export const preloadRows = rows.preload;
const today = late(() => import("./today/today-page").then((module) => module.TodayPage));
export const preloadToday = today.preload;
const NewItemsPill = lazyNamed("NewItemsPill", () => import("./deferred/new-items-pill"));
const ScrollRead = lazyNamed("ScrollRead", () => import("./scroll-read"));
const loadNotice = () => import("./feed-notice");
const FeedNotice = lazyNamed("FeedNotice", loadNotice);
const ListEnd = lazyNamed("ListEnd", () => import("./deferred/list-end"));
const loadListStates = () => import("./deferred/list-states");
const EmptyList = lazyNamed("EmptyList", loadListStates);
const ListError = lazyNamed("ListError", loadListStates);
const NotSubscribed = lazyNamed("NotSubscribed", () => import("./deferred/not-subscribed"));
const SearchHead = lazyNamed("SearchHead", () => import("./search/search-head"));
const loadSearchStates = () => import("./search/search-states");
const NothingFound = lazyNamed("NothingFound", loadSearchStates);
const SearchedBack = lazyNamed("SearchedBack", loadSearchStates);
const ExploreHead = lazyNamed("ExploreHead", () => import("./explore/explore-head"));
const NothingPopular = lazyNamed("NothingPopular", () => import("./explore/nothing-popular"));
const EndOfResults = lazyNamed("EndOfResults", () => import("./search/end-of-results"));

export type BoundaryType = ComponentType<{ children: ReactNode; of?: string; pane?: string }>;

interface Props {
  reader: Reader;
  Boundary: BoundaryType;
  /** The open article, for items that open in the list. */
  article: ReactNode;
  /** What a new installation begins with, on Today. */
  firstSteps: ReactNode;
  onImport: () => void;
}

export function ListSection(props: Props) {
  const { isTodayPage, isListed } = props.reader;
  useEffect(() => {
    // Offline they could not be loaded any more.
    if (isListed)
      for (const load of [loadNotice, loadListStates]) void load().catch(() => undefined);
  }, [isListed]);
  useEffect(() => {
    if (isListed) setTimeout(() => void preloadRows().catch(() => undefined), 200);
  }, [isListed]);
  return isTodayPage ? <TodaySection {...props} /> : <StreamSection {...props} />;
}

function TodaySection({ reader, firstSteps }: Props) {
  const TodayPage = today.use();
  const page = TodayPage && <TodayPage reader={reader} firstSteps={firstSteps} />;
  return (
    <section className="list-pane" data-of="today">
      <Suspense fallback={<div className="scroll" aria-busy="true" />}>
        <ListContent
          list={reader.list}
          isFound={false}
          isWaiting={reader.isListWaiting || !page}
          renderRows={() => <div className="scroll">{page}</div>}
          renderEmpty={() => page}
        />
      </Suspense>
    </section>
  );
}

/** The list of a stream, with everything that depends on how far it is loaded. */
function StreamSection({ reader, Boundary, article, onImport }: Props) {
  const { route, listKey, name, list, items, feed, feedsById, shape, actions, isListed } = reader;
  const feeds = useFeeds();
  const ItemList = rows.use();
  useEffect(() => {
    if (isListed && route.stream.kind === "feed" && items.length > 0)
      void import("./deferred/gallery-offer").then((m) => m.offerGallery(route, items), String);
  }, [isListed, route, items]);
  const marksOnScroll = useSetting("markOnScroll");
  const notice = feed && (feed.error || feed.isWatch) && (
    <FeedNotice feed={feed} actions={actions} />
  );
  // The notice above the rows of a feed is shown together with them, or they would move.
  const needsFeeds = route.stream.kind === "feed" && feeds.isPending && !feeds.errorUpdateCount;

  const isFound = isSearch(route.stream);
  const searched = useSearched(route);
  const isTyped = searched?.isTyped === true;
  // Starred items and those of a label are not sorted by day, nor the best results.
  const isByDay = !hasOwnOrder(route.stream, name.order) && (searched?.sort ?? "date") === "date";
  const hasDays = isByDay && shape.mode === "read";

  // Below the rows, where it is not simply that there are no more.
  const after = list.isFetchNextPageError ? (
    <ListError error={list.error} onRetry={reader.loadMore} />
  ) : list.stoppedAt !== null ? (
    !list.isFetchingNextPage && (
      <SearchedBack reached={list.stoppedAt} onContinue={reader.loadMore} />
    )
  ) : (
    isFound && !list.hasNextPage && <EndOfResults />
  );

  const renderRows = () =>
    ItemList && (
      <ItemList
        // While a search is typed its rows stay, and change.
        key={`${isTyped ? "typed" : listKey}|${shape.mode}|${shape.isCompact}`}
        ref={reader.listHandle}
        listKey={listKey}
        route={route}
        shape={shape}
        items={items}
        hasDays={hasDays}
        feeds={feedsById}
        cursor={reader.cursor}
        isEnd={!list.hasNextPage}
        isLoadingMore={list.isFetchingNextPage}
        moreError={after && <Suspense fallback={null}>{after}</Suspense>}
        onMore={reader.loadMore}
        onOpen={reader.onOpen}
        onCursor={reader.setCursor}
        onStar={actions.toggleStar}
        onRead={actions.toggleRead}
        onLater={actions.toggleLater}
        onPin={actions.togglePin}
        onMark={(part) => void actions.markList(reader.shown, part)}
        renderOpen={
          reader.isInline && shape.mode !== "stream"
            ? () => (
                <Boundary key={`article ${route.item}`} pane="article-pane">
                  {article}
                </Boundary>
              )
            : undefined
        }
        before={notice}
        end={
          isListed && (
            <Suspense fallback={null}>
              <ListEnd route={route} title={reader.title} mode={shape.mode} />
            </Suspense>
          )
        }
      />
    );
  const renderEmpty = () =>
    route.stream.kind === "explore" ? (
      <Suspense fallback={null}>
        <NothingPopular explored={route.stream} counts={list.data?.pages[0]?.counts} />
      </Suspense>
    ) : isFound ? (
      <NothingFound
        searched={searched}
        isSaved={route.stream.kind === "saved"}
        list={list}
        onContinue={reader.loadMore}
      />
    ) : (
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
    );
  const pill = isListed && (
    <Suspense fallback={null}>
      <NewItemsPill
        key={listKey}
        name={name}
        pages={list.data?.pages}
        items={items}
        listHandle={reader.listHandle}
      />
    </Suspense>
  );
  return (
    <ListPane
      route={route}
      shape={shape}
      feed={feed}
      title={reader.title}
      headingRef={reader.listHeading}
      hasCursor={reader.cursor !== null}
      onUnsubscribe={actions.unsubscribe}
      hasMenus={isListed}
    >
      {!isFound && pill}
      {(marksOnScroll || shape.mode === "stream") && (
        <Suspense fallback={null}>
          <ScrollRead key={listKey} items={items} actions={actions} />
        </Suspense>
      )}
      <Suspense
        fallback={
          <div className="scroll" aria-busy="true">
            {/* What is typed at once is for the search box. */}
            {isFound && <HoldKeys onCancel={() => go(readerPlace())} />}
          </div>
        }
      >
        {route.stream.kind === "explore" && (
          <ExploreHead
            explored={route.stream}
            related={list.data?.pages[0]?.related}
            namesYahoo={list.data?.pages[0]?.namesYahoo}
            counts={list.data?.pages[0]?.counts}
          />
        )}
        {isFound && (
          <>
            <SearchHead reader={reader} searched={searched} />
            {pill}
          </>
        )}
        <ListContent
          list={list}
          isFound={isFound}
          isWaiting={reader.isListWaiting || needsFeeds || !ItemList}
          renderRows={renderRows}
          renderEmpty={renderEmpty}
        />
      </Suspense>
    </ListPane>
  );
}

interface ContentProps {
  list: Reader["list"];
  /** A search says itself why it has no results. */
  isFound: boolean;
  isWaiting: boolean;
  renderRows: () => ReactNode;
  renderEmpty: () => ReactNode;
}

function ListContent({ list, isFound, isWaiting, renderRows, renderEmpty }: ContentProps) {
  const isSlow = useDelayed(isWaiting);
  if (isWaiting) {
    return (
      <div className="scroll" aria-busy="true">
        <span className="sr-only" role="status">
          {isSlow && <Trans>Loading…</Trans>}
        </span>
        {isSlow && <ListSkeleton />}
      </div>
    );
  }
  if (list.items.length > 0) return renderRows();
  if (list.isError && !isFound && toApiError(list.error).status !== 401) {
    return (
      <div className="scroll">
        <div className="p-4">
          <Suspense fallback={null}>
            {toApiError(list.error).code === "feed_not_found" ? (
              <NotSubscribed />
            ) : (
              <ListError error={list.error} onRetry={() => void list.refetch()} />
            )}
          </Suspense>
        </div>
      </div>
    );
  }
  return <div className="scroll">{renderEmpty()}</div>;
}
