import { Trans, useLingui } from "@lingui/react/macro";
import { CheckCheck, Ellipsis, Menu as MenuIcon, RefreshCw, Trash2 } from "lucide-react";
import type { ReactNode, Ref } from "react";
import type { ReaderRoute } from "@/data/routes";
import { readerPath } from "@/data/routes";
import type { Feed, Filter } from "@/data/types";
import { go, openSide } from "@/data/use-route";
import { textLang } from "@/i18n/text-lang";
import { runCommand } from "@/keys/use-command";
import { IconButton, withKey } from "@/ui/icon-button";
import { Menu, MenuItem } from "@/ui/menu";

interface Props {
  route: ReaderRoute;
  feed: Feed | undefined;
  title: string;
  headingRef: Ref<HTMLHeadingElement>;
  onUnsubscribe: (feed: Feed) => void;
  children: ReactNode;
}

export function ListPane({ route, feed, title, headingRef, onUnsubscribe, children }: Props) {
  const { t, i18n } = useLingui();
  return (
    <section className="list-pane" aria-label={t`Items`}>
      <header className="pane-head">
        <IconButton
          label={t`Show the feeds`}
          icon={<MenuIcon />}
          className="drawer-only"
          onClick={openSide}
        />
        <h1
          ref={headingRef}
          tabIndex={-1}
          title={title}
          lang={feed ? textLang(feed.language, title, i18n.locale) : undefined}
        >
          {title}
        </h1>
        {route.stream.kind !== "starred" && <FilterSwitch route={route} />}
        <Menu label={t`More for this list`} icon={<Ellipsis />} place="top-14 end-2">
          {(close) => {
            const then = (run: () => void) => () => {
              close();
              run();
            };
            return (
              <>
                <MenuItem
                  icon={<RefreshCw aria-hidden="true" />}
                  onClick={then(() => runCommand("feed.refresh"))}
                >
                  {feed ? <Trans>Fetch now</Trans> : <Trans>Refresh</Trans>}
                  <Key name="r" />
                </MenuItem>
                {feed && (
                  <>
                    <MenuItem
                      icon={<CheckCheck aria-hidden="true" />}
                      onClick={then(() => runCommand("feed.markRead"))}
                    >
                      <Trans>Mark all as read</Trans>
                      <Key name="⇧A" />
                    </MenuItem>
                    <hr />
                    <MenuItem
                      icon={<Trash2 aria-hidden="true" />}
                      onClick={then(() => onUnsubscribe(feed))}
                    >
                      <Trans>Unsubscribe</Trans>
                    </MenuItem>
                  </>
                )}
              </>
            );
          }}
        </Menu>
      </header>
      {children}
    </section>
  );
}

function FilterSwitch({ route }: { route: ReaderRoute }) {
  const { t } = useLingui();
  const names: readonly [Filter, string, string][] = [
    ["all", t`All`, withKey(t`Show all items`, "filter.all")],
    ["unread", t`Unread`, withKey(t`Show unread items`, "filter.unread")],
    ["starred", t`Starred`, withKey(t`Show starred items`, "filter.starred")],
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
          onClick={() => go(readerPath(route.stream, filter))}
        >
          {filter === "starred" ? <span aria-hidden="true">★</span> : name}
        </button>
      ))}
    </div>
  );
}

/** The key beside a menu entry; the entry's name is enough for a screen reader. */
function Key({ name }: { name: string }) {
  return (
    <span aria-hidden="true" className="ms-auto">
      <kbd>{name}</kbd>
    </span>
  );
}
