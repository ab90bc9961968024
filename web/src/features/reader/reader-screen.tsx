import { type ReactNode, Suspense, useEffect } from "react";
import type { ReaderRoute } from "@/data/routes";
import { lazyNamed } from "@/ui/lazy-named";
import { ArticleSlot } from "./article-slot";
import { type BoundaryType, ListSection } from "./list-section";
import { DocumentTitle } from "./stream-title";
import { useReader } from "./use-reader";

const Splitter = lazyNamed("Splitter", () => import("./side/splitter"));
const NoItem = lazyNamed("NoItem", () => import("./no-item"));
const PhoneBar = lazyNamed("PhoneBar", () => import("./phone-bar"));

interface Props {
  route: ReaderRoute;
  Boundary: BoundaryType;
  firstSteps: ReactNode;
  onImport: () => void;
  /** The first list has been rendered. */
  onListed: () => void;
}

/** List and article of one stream. */
export function ReaderScreen({ route, Boundary, firstSteps, onImport, onListed }: Props) {
  const openId = route.item;
  const reader = useReader(route);
  const { list, items, openIndex, actions, isPhone, isInline, isListed } = reader;
  useEffect(() => {
    if (isListed) onListed();
  }, [isListed, onListed]);
  const article = openId !== null && (
    <ArticleSlot
      key={openId}
      route={route}
      id={openId}
      summary={reader.summary}
      feeds={reader.feedsById}
      previous={reader.previous}
      next={reader.next}
      place={{
        title: reader.title,
        index: openIndex,
        count: items.length,
        isAll: !list.hasNextPage,
      }}
      headingRef={reader.articleHeading}
      wantsFocus={reader.wantsHeading}
      scrollRef={reader.articleScroll}
      actions={actions}
    />
  );
  // An item that is not in the list (a deep link) has no row to open below.
  const isLone = isInline && openId !== null && openIndex < 0 && !list.isPending;

  return (
    <div
      className="frame"
      data-view={openId === null ? "list" : "article"}
      data-mode={reader.shape.mode}
      data-layout={isInline ? (isLone ? "lone" : "inline") : undefined}
    >
      <DocumentTitle route={route} title={reader.title} />
      <main className="contents">
        <Boundary of={reader.listKey} pane="list-pane">
          <ListSection
            reader={reader}
            Boundary={Boundary}
            article={article}
            firstSteps={firstSteps}
            onImport={onImport}
          />
        </Boundary>
        {(!isInline || isLone) && (
          <Boundary key={`article ${openId}`} pane="article-pane">
            {article ||
              (!isPhone && (
                <Suspense fallback={<section className="article-pane" />}>
                  <NoItem
                    route={route}
                    title={reader.title}
                    hasItems={items.length > 0}
                    feeds={reader.feedsById}
                    hasToday={isListed}
                  />
                </Suspense>
              ))}
          </Boundary>
        )}
        {!isPhone && !isInline && isListed && (
          <Suspense fallback={null}>
            <Splitter pane="list" />
          </Suspense>
        )}
      </main>
      {isPhone && openId !== null && !reader.isSideOpen && (
        <Boundary>
          <Suspense fallback={<nav className="tabbar" />}>
            <PhoneBar
              id={openId}
              summary={reader.summary}
              hasNext={!!reader.next}
              actions={actions}
            />
          </Suspense>
        </Boundary>
      )}
    </div>
  );
}
