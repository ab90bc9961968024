import { useLingui } from "@lingui/react/macro";
import { type ReactNode, type Ref, Suspense } from "react";
import type { ReaderRoute } from "@/data/routes";
import { isSearch, readerPath } from "@/data/routes";
import type { Feed, Filter } from "@/data/types";
import { go } from "@/data/use-route";
import { textLang } from "@/i18n/text-lang";
import { withKey } from "@/ui/icon-button";
import { lazyNamed } from "@/ui/lazy-named";
import type { Shape } from "./use-shape";

const ListViewMenu = lazyNamed("ListViewMenu", () => import("./deferred/list-view-menu"));
const ListMenu = lazyNamed("ListMenu", () => import("./deferred/list-menu"));

interface Props {
  route: ReaderRoute;
  shape: Shape;
  feed: Feed | undefined;
  title: string;
  headingRef: Ref<HTMLHeadingElement>;
  hasCursor: boolean;
  onUnsubscribe: (feed: Feed) => void;
  /** The menus are loaded after the first list. */
  hasMenus: boolean;
  children: ReactNode;
}

export function ListPane(props: Props) {
  const { route, shape, feed, title, headingRef, hasCursor, onUnsubscribe, hasMenus, children } =
    props;
  const { t, i18n } = useLingui();
  const placeholder = <span className="menus-later" />;
  return (
    <section
      className="list-pane"
      aria-label={t`Article list`}
      data-look={shape.view}
      data-density={shape.density}
    >
      <header className="pane-head">
        <h1
          ref={headingRef}
          tabIndex={-1}
          title={title}
          dir="auto"
          lang={feed ? textLang(feed.language, title, i18n.locale) : undefined}
        >
          {title}
        </h1>
        {route.stream.kind !== "starred" &&
          route.stream.kind !== "explore" &&
          !isSearch(route.stream) && <FilterSwitch route={route} />}
        {hasMenus ? (
          <Suspense fallback={placeholder}>
            <ListViewMenu route={route} shape={shape} />
            <ListMenu feed={feed} hasCursor={hasCursor} onUnsubscribe={onUnsubscribe} />
          </Suspense>
        ) : (
          placeholder
        )}
      </header>
      {children}
    </section>
  );
}

function FilterSwitch({ route }: { route: ReaderRoute }) {
  const { t } = useLingui();
  const names: readonly [Filter, string, string][] = [
    ["all", t`All`, withKey(t`Show all articles`, "filter.all")],
    ["unread", t`Unread`, withKey(t`Show unread articles`, "filter.unread")],
    ["starred", t`Starred`, withKey(t`Show starred articles`, "filter.starred")],
  ];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of toggles, not of form fields
    <div className="segments" role="group" aria-label={t`Show`}>
      {names.map(([filter, name, tip]) => (
        <button
          key={filter}
          type="button"
          title={tip}
          aria-label={name}
          aria-pressed={route.filter === filter}
          onClick={() => go(readerPath(route.stream, filter, null, route))}
        >
          {filter === "starred" ? <span aria-hidden="true">★</span> : name}
        </button>
      ))}
    </div>
  );
}
