import { Suspense } from "react";
import type { ReaderRoute } from "@/data/routes";
import { closeSide } from "@/data/use-route";
import { lazyNamed } from "@/ui/lazy-named";
import { ArticleSlot } from "./article-slot";
import { type BoundaryType, ListSection } from "./list-section";
import { NoItem } from "./no-item";
import { PhoneBar } from "./phone-bar";
import { useReader } from "./use-reader";

const SideBar = lazyNamed("SideBar", () => import("./side/side-bar"));

interface Props {
  route: ReaderRoute;
  Boundary: BoundaryType;
  onImport: () => void;
}

/** Side bar, list and article of one stream. */
export function ReaderScreen({ route, Boundary, onImport }: Props) {
  const openId = route.item;
  const reader = useReader(route);
  const { list, items, openIndex, actions, isPhone, isInline, isSideOpen } = reader;
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
      data-layout={isInline ? (isLone ? "lone" : "inline") : undefined}
      data-side={isSideOpen ? "open" : undefined}
    >
      <Boundary pane="side">
        <Suspense fallback={<div className="side" />}>
          {reader.isListed ? (
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
        <Boundary of={reader.listKey} pane="list-pane">
          <ListSection reader={reader} Boundary={Boundary} article={article} onImport={onImport} />
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
              summary={reader.summary}
              isSideOpen={isSideOpen}
              hasNext={!!reader.next}
              actions={actions}
            />
          </Suspense>
        </Boundary>
      )}
    </div>
  );
}
