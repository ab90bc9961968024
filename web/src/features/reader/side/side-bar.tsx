import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Bookmark, PanelLeftClose, Plus, Search, Tag, Upload } from "lucide-react";
import { memo, useEffect, useMemo, useRef, useState } from "react";
import { feedsQuery, useFeeds } from "@/data/feeds";
import { useMe } from "@/data/me";
import { usePreferenceSet } from "@/data/preference-set";
import { type Route, readerPath } from "@/data/routes";
import { mostCounted, useSavedCount } from "@/data/saved-counts";
import { useSearches } from "@/data/searches";
import { readLaterOf, useKnownTree } from "@/data/tree";
import type { Label, SavedSearch } from "@/data/types";
import { closeSide, go, openSide, useSideOpen } from "@/data/use-route";
import { textLang } from "@/i18n/text-lang";
import { runCommand, useCommands } from "@/keys/use-command";
import { ErrorNote } from "@/ui/error-note";
import { IconButton } from "@/ui/icon-button";
import { Logo } from "@/ui/logo";
import { showToast } from "@/ui/toasts";
import { useDelayed } from "@/ui/use-delayed";
import { phone, useMedia, wide } from "@/ui/use-media";
import { ManageMenu } from "../deferred/manage-menu";
import { SettingsMenu } from "../deferred/settings-menu";
import { cyclePanes } from "./cycle-panes";
import { FeedRow } from "./feed-row";
import { FolderRows, type Shown } from "./folder-rows";
import { Group } from "./group";
import { hideOrShow, useHidden } from "./panes";
import { Places, useTurnOnLater } from "./places";
import { Rail } from "./rail";
import { Row } from "./row";
import { type DialogRequest, RowMenu } from "./row-menu";
import { feedRow, labelGroup, labelRow, looseGroup, rowOf, savedRow, shownRows } from "./rows";
import { focusSearch } from "./search-box";
import { SideDialog } from "./side-dialog";
import { Splitter } from "./splitter";
import { StaleNote } from "./stale-note";
import { targetOf } from "./targets";
import { countOf, feedsInOrder, nextUnreadFeed, type SideTree, withWords } from "./tree";
import { useDrag } from "./use-drag";
import { usePrefetch } from "./use-prefetch";
import { linkOf, useRoving } from "./use-roving";
import { useRowMenu } from "./use-row-menu";
import { useSideActions } from "./use-side-actions";
import { useSideTree, useSort } from "./use-side-tree";
import { ViewMenu } from "./view-menu";
import "./side.css";

/** From so many feeds on there is a field that filters them. */
const manyFeeds = 40;

const none: ReadonlySet<string> = new Set();

interface Props {
  /** Without the open item. */
  route: Route;
  onImport: () => void;
  /** On phones the open side bar is a screen with its own heading. */
  isScreen: boolean;
}

export const SideBar = memo(function SideBar({ route, onImport, isScreen }: Props) {
  const { t } = useLingui();
  const stream = route.screen === "reader" ? route.stream : null;
  const filter = route.screen === "reader" ? route.filter : "all";
  const box = useRef<HTMLElement>(null);
  const client = useQueryClient();
  const feeds = useFeeds();
  const tree = useSideTree(stream?.kind === "feed" ? stream.id : null);
  const content = useKnownTree();
  const { labels } = content;
  const saved = useSearches();
  const [words, setWords] = useState("");
  const hasFilter = (feeds.data?.feeds.length ?? 0) >= manyFeeds;
  const isFiltered = hasFilter && words.trim() !== "";
  const [closed, toggle] = usePreferenceSet("closed");
  const open = isFiltered ? none : closed;
  const found = useMemo(
    () => (tree && isFiltered ? withWords(tree, words) : tree),
    [tree, isFiltered, words],
  );
  const railFeeds = useMemo(
    () => (tree ? feedsInOrder(tree).filter((feed) => countOf(feed) > 0) : []),
    [tree],
  );
  const readLater = readLaterOf(labels);
  const turnOnLater = useTurnOnLater();
  const others = useMemo(() => labels.filter((one) => one !== readLater), [labels, readLater]);
  const rows = useMemo(() => shownRows(found, others, saved, open), [found, others, saved, open]);
  const current = rowOf(rows, route, readLater?.id);
  const { stop, ...roving } = useRoving({
    box,
    rows,
    current: current || "today",
    toggle,
    isClosed: closedIn(open),
  });
  const prefetch = usePrefetch();
  const { menu, close, handlers } = useRowMenu((row) => /^(feed|folder|label|saved):/.test(row));
  const actions = useSideActions();
  const [dialog, setDialog] = useState<DialogRequest | null>(null);
  const find = (row: string) => tree && targetOf(row, feeds.data?.feeds ?? [], tree, saved);
  const target = menu && find(menu.row);
  const isManual = useSort() === "manual";
  const dragging = useDrag({ tree, folders: content.folders, isManual, actions, find });
  const isSlow = useDelayed(tree === null && !feeds.isError);

  const isWide = useMedia(wide);
  const isPhone = useMedia(phone);
  const isOpen = useSideOpen();
  const isRailed = useHidden("side") || !isWide;
  const isSearchOff = useMe().data?.search === "off";
  const hasCounts = (isOpen || !isRailed) && !isSearchOff;
  // The drawer takes the focus, and returns it when it closes.
  const wasOpen = useRef(false);
  useEffect(() => {
    if (isOpen === wasOpen.current || isWide) return;
    wasOpen.current = isOpen;
    if (isOpen) linkOf(box.current, stop)?.focus({ preventScroll: true });
    else if (box.current?.contains(document.activeElement)) {
      document.querySelector<HTMLElement>(".rail button")?.focus();
    }
  }, [isOpen, isWide, stop]);

  const goToFeed = (step: 1 | -1) => {
    const from = stream?.kind === "feed" ? stream.id : null;
    // With the current counts, which may not be rendered yet.
    const now = new Map(
      client.getQueryData(feedsQuery.queryKey)?.feeds.map((feed) => [feed.id, feed]),
    );
    const all = tree && feedsInOrder(tree).map((feed) => now.get(feed.id) ?? feed);
    const other = all && nextUnreadFeed(all, from, step);
    if (!other) return false;
    // The view in the address is for this list only.
    const order = route.screen === "reader" ? route.order : null;
    go(readerPath({ kind: "feed", id: other.id }, filter, null, { order }));
    return true;
  };
  useCommands({
    search: () => focusSearch(),
    "go.later": () =>
      readLater
        ? go(readerPath({ kind: "label", id: readLater.id }))
        : showToast(t`Read later is off`, { label: t`Turn on`, run: turnOnLater }),
    "feed.next": () => goToFeed(1),
    "feed.previous": () => goToFeed(-1),
    "pane.side": () => (isWide ? hideOrShow("side") : isOpen ? closeSide() : openSide()),
    "pane.list": () => (canHideList() ? hideOrShow("list") : false),
    "pane.next": () => cyclePanes(1),
    "pane.previous": () => cyclePanes(-1),
  });

  const shown: Shown = { stream, stop, closed: open, toggle };
  return (
    <>
      <nav
        className="side"
        ref={box}
        aria-label={t`Feeds`}
        {...roving}
        {...prefetch}
        {...handlers}
        {...dragging}
      >
        <header>
          <Logo size={24} />
          {isScreen ? <h1>Ruri</h1> : <span>Ruri</span>}
          {isWide && (
            <IconButton
              label={t`Hide sidebar`}
              command="pane.side"
              icon={<PanelLeftClose />}
              onClick={() => hideOrShow("side")}
            />
          )}
          <ViewMenu onNewFolder={() => setDialog({ kind: "make", target: null })} />
        </header>
        <div className="scroll">
          <Places current={current} stop={stop} totals={feeds.data?.totals} readLater={readLater} />
          {saved.length > 0 && (
            <section aria-label={t`Saved searches`}>
              <ul className="mt-3">
                {saved.map((one, at) => (
                  <SavedRow
                    key={one.id}
                    search={one}
                    shown={shown}
                    isCounted={hasCounts && at < mostCounted}
                  />
                ))}
              </ul>
            </section>
          )}
          {hasFilter && (
            <label className="side-find">
              <Search size={16} />
              <input
                type="search"
                aria-label={t`Filter feeds`}
                placeholder={t`Filter feeds`}
                value={words}
                onChange={(event) => setWords(event.target.value)}
                onKeyDown={(event) => event.key === "Escape" && setWords("")}
              />
            </label>
          )}
          {isSlow && <SideSkeleton />}
          {feeds.isError && !feeds.data && (
            <div className="mt-4">
              <ErrorNote error={feeds.error} onRetry={() => void feeds.refetch()} />
            </div>
          )}
          {feeds.data?.feeds.length === 0 && <NoFeeds onImport={onImport} />}
          {found && <Tree tree={found} shown={shown} />}
          {others.length > 0 && (
            <section aria-label={t`Labels`}>
              <Group
                row={labelGroup}
                name={t`Labels`}
                isStop={stop === labelGroup}
                isClosed={open.has(labelGroup)}
                onToggle={() => toggle(labelGroup)}
              >
                <Labels labels={others} shown={shown} />
              </Group>
            </section>
          )}
        </div>
        {feeds.isError && feeds.data && (
          <StaleNote since={feeds.dataUpdatedAt} onRetry={() => void feeds.refetch()} />
        )}
        <footer>
          <button type="button" className="foot-tool" onClick={() => runCommand("feed.add")}>
            <Plus />
            <Trans>Add</Trans>
          </button>
          <ManageMenu onImport={onImport} />
          <SettingsMenu />
        </footer>
        {menu && target && tree && (
          <RowMenu
            target={target}
            at={menu.at}
            opener={menu.opener}
            tree={tree}
            actions={actions}
            onClose={close}
            onDialog={setDialog}
          />
        )}
      </nav>
      {isRailed && !isPhone && (
        <Rail
          current={current}
          readLater={readLater?.id}
          feeds={railFeeds}
          openFeed={stream?.kind === "feed" ? stream.id : null}
        />
      )}
      {!isPhone && !isRailed && (
        <section className="contents" aria-label={t`Pane widths`}>
          <Splitter pane="side" />
        </section>
      )}
      {dialog && <SideDialog request={dialog} actions={actions} onClose={() => setDialog(null)} />}
    </>
  );
});

/** The list can be hidden next to an open item. */
function canHideList(): boolean {
  return document.querySelector('.frame[data-view="article"]:not([data-layout])') !== null;
}

/** Undefined for rows that cannot be closed. */
const closedIn = (closed: ReadonlySet<string>) => (row: string) =>
  /^(folder|group):/.test(row) ? closed.has(row) : undefined;

function Tree({ tree, shown }: { tree: SideTree; shown: Shown }) {
  const { t, i18n } = useLingui();
  const { stream, stop, closed, toggle } = shown;
  const loose = tree.feeds.map((feed) => (
    <FeedRow
      key={feed.id}
      feed={feed}
      folder={null}
      depth={0}
      isCurrent={stream?.kind === "feed" && stream.id === feed.id}
      isStop={stop === feedRow(feed.id, null)}
      locale={i18n.locale}
    />
  ));
  return (
    <section aria-label={t`Feeds and folders`}>
      {tree.folders.length > 0 && (
        <ul className="mt-3">
          {tree.folders.map((node) => (
            <FolderRows key={node.folder.id} node={node} depth={0} shown={shown} />
          ))}
        </ul>
      )}
      {loose.length > 0 && tree.folders.length > 0 ? (
        <Group
          row={looseGroup}
          name={t`No folder`}
          isStop={stop === looseGroup}
          isClosed={closed.has(looseGroup)}
          onToggle={() => toggle(looseGroup)}
        >
          {loose}
        </Group>
      ) : (
        <ul className="mt-3">{loose}</ul>
      )}
    </section>
  );
}

interface SavedProps {
  search: SavedSearch;
  shown: Shown;
  isCounted: boolean;
}

function SavedRow({ search, shown: { stream, stop }, isCounted }: SavedProps) {
  const { i18n } = useLingui();
  const { id, name } = search;
  const row = savedRow(id);
  const counted = useSavedCount(search, isCounted);
  return (
    <li>
      <Row
        row={row}
        href={readerPath({ kind: "saved", id })}
        icon={<Bookmark />}
        name={name}
        lang={textLang("", name, i18n.locale)}
        isCurrent={stream?.kind === "saved" && stream.id === id}
        isStop={stop === row}
        {...counted}
        hasMenu
      />
    </li>
  );
}

function Labels({ labels, shown: { stream, stop } }: { labels: readonly Label[]; shown: Shown }) {
  const { i18n } = useLingui();
  return labels.map(({ id, name }) => (
    <li key={id}>
      <Row
        row={labelRow(id)}
        href={readerPath({ kind: "label", id })}
        icon={<Tag />}
        name={name}
        lang={textLang("", name, i18n.locale)}
        isCurrent={stream?.kind === "label" && stream.id === id}
        isStop={stop === labelRow(id)}
        hasMenu
      />
    </li>
  ));
}

function NoFeeds({ onImport }: { onImport: () => void }) {
  return (
    <div className="side-empty">
      <p>
        <Trans>No feeds yet</Trans>
      </p>
      <button type="button" className="btn" onClick={onImport}>
        <Upload size={16} />
        <Trans>Import OPML</Trans>
      </button>
    </div>
  );
}

function SideSkeleton() {
  return (
    <div className="flex flex-col gap-3 p-2 pt-6" aria-hidden="true">
      {[60, 80, 50, 70, 65, 45].map((width) => (
        <div key={width} className="skeleton h-4" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}
