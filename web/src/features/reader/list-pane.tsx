import { useLingui } from "@lingui/react/macro";
import { memo, type ReactNode, type Ref, Suspense } from "react";
import type { ReaderRoute } from "@/data/routes";
import type { Feed, Mode } from "@/data/types";
import { useListRoute } from "@/data/use-route";
import { textLang } from "@/i18n/text-lang";
import { keyLabel } from "@/keys/commands";
import { keysOf } from "@/keys/keymap";
import { withKey } from "@/ui/icon-button";
import { lazyNamed } from "@/ui/lazy-named";
import { chooseMode, type Shape } from "./use-shape";

const FilterMenu = lazyNamed("FilterMenu", () => import("./deferred/filter-menu"));
const SavedSwitch = lazyNamed("SavedSwitch", () => import("./deferred/saved-switch"));
const ListMenus = lazyNamed("ListMenus", () => import("./deferred/list-menu"));

interface Head {
  route: ReaderRoute;
  shape: Shape;
  feed: Feed | undefined;
  title: string;
  headingRef: Ref<HTMLHeadingElement>;
  hasCursor: boolean;
  onUnsubscribe: (feed: Feed) => void;
  /** The menus are loaded after the first list. */
  hasMenus: boolean;
}

export function ListPane({ children, ...head }: Head & { children: ReactNode }) {
  const { route, shape } = head;
  const { t } = useLingui();
  const listRoute = useListRoute(route);
  return (
    <section
      className="list-pane"
      aria-label={t`Article list`}
      data-look={shape.mode}
      data-of={route.stream.kind}
      data-density={shape.isCompact ? "compact" : undefined}
    >
      <ListHead {...head} route={listRoute} />
      {children}
    </section>
  );
}

/** Does not render again while one walks from item to item. */
const ListHead = memo(function ListHead(props: Head) {
  const { route, shape, feed, title, headingRef, hasMenus } = props;
  const { i18n } = useLingui();
  const placeholder = <span className="menus-later" />;
  return (
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
      {hasMenus && (
        <Suspense fallback={null}>
          <SavedSwitch route={route} />
          <FilterMenu route={route} />
        </Suspense>
      )}
      <ModeSwitch route={route} mode={shape.mode} />
      {hasMenus ? (
        <Suspense fallback={placeholder}>
          <ListMenus
            route={route}
            shape={shape}
            feed={feed}
            hasCursor={props.hasCursor}
            onUnsubscribe={props.onUnsubscribe}
          />
        </Suspense>
      ) : (
        placeholder
      )}
    </header>
  );
});

function ModeSwitch({ route, mode }: { route: ReaderRoute; mode: Mode }) {
  const { t } = useLingui();
  const names: readonly ["skim" | "read" | "stream", string][] = [
    ["skim", t`Skim`],
    ["read", t({ message: "Read", context: "mode" })],
    ["stream", t`Stream`],
  ];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of toggles, not of form fields
    <div className="segments modes" role="group" aria-label={t`Mode`}>
      {names.map(([one, name]) => {
        const [key] = keysOf(`mode.${one}`);
        return (
          <button
            key={one}
            type="button"
            title={withKey(name, `mode.${one}`)}
            aria-pressed={mode === one}
            onClick={() => chooseMode(route, one)}
          >
            {key && <small aria-hidden="true">{keyLabel(key)}</small>}
            {name}
          </button>
        );
      })}
    </div>
  );
}
