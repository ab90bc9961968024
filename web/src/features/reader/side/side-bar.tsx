import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import {
  Bookmark,
  CircleDot,
  CircleHelp,
  Command,
  Inbox,
  PanelLeftClose,
  Plus,
  Star,
  Tag,
  Tags,
  TrendingUp,
  Upload,
} from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { feedsQuery, useFeeds } from "@/data/feeds";
import { useMe } from "@/data/me";
import { usePreferenceSet } from "@/data/preference-set";
import { type ReaderRoute, readerPath } from "@/data/routes";
import { useSearches } from "@/data/searches";
import { useKnownTree } from "@/data/tree";
import { closeSide, go, openSide, useSideOpen } from "@/data/use-route";
import { textLang } from "@/i18n/text-lang";
import { runCommand, useCommands } from "@/keys/use-command";
import { ErrorNote } from "@/ui/error-note";
import { IconButton } from "@/ui/icon-button";
import { Logo } from "@/ui/logo";
import { useDelayed } from "@/ui/use-delayed";
import { phone, useMedia, wide } from "@/ui/use-media";
import { SettingsMenu } from "../deferred/settings-menu";
import { cyclePanes } from "./cycle-panes";
import { FeedRow } from "./feed-row";
import { FolderRows, type Shown } from "./folder-rows";
import { Group } from "./group";
import { hideOrShow, useHidden } from "./panes";
import { Rail } from "./rail";
import { Row } from "./row";
import { type DialogRequest, RowMenu } from "./row-menu";
import {
  feedRow,
  labelGroup,
  labelRow,
  looseGroup,
  rowOf,
  savedGroup,
  savedRow,
  shownRows,
} from "./rows";
import { focusSearch, SearchBox } from "./search-box";
import { SideDialog } from "./side-dialog";
import { Splitter } from "./splitter";
import { StaleNote } from "./stale-note";
import { targetOf } from "./targets";
import { feedsInOrder, nextUnreadFeed } from "./tree";
import { useDrag } from "./use-drag";
import { usePrefetch } from "./use-prefetch";
import { linkOf, useRoving } from "./use-roving";
import { useRowMenu } from "./use-row-menu";
import { useSideActions } from "./use-side-actions";
import { useSideTree, useSort } from "./use-side-tree";
import { ViewMenu } from "./view-menu";
import "./side.css";

interface Props {
  route: ReaderRoute;
  onImport: () => void;
  /** On phones the open side bar is a screen with its own heading. */
  isScreen: boolean;
}

export function SideBar({ route, onImport, isScreen }: Props) {
  const { t } = useLingui();
  const { stream, filter } = route;
  const isUnread = stream.kind === "all" && filter === "unread";
  const box = useRef<HTMLElement>(null);
  const client = useQueryClient();
  const feeds = useFeeds();
  const tree = useSideTree(stream.kind === "feed" ? stream.id : null);
  const content = useKnownTree();
  const { labels } = content;
  const saved = useSearches();
  const me = useMe().data;
  const isSearchOff = me?.search === "off";
  const hasWatches = feeds.data?.feeds.some((feed) => feed.isWatch) === true;
  const [closed, toggle] = usePreferenceSet("closed");
  const rows = useMemo(
    () => shownRows(tree, labels, saved, closed, { hasWatches }),
    [tree, labels, saved, closed, hasWatches],
  );
  const current = rowOf(rows, stream, isUnread);
  const { stop, ...roving } = useRoving({
    box,
    rows,
    current,
    toggle,
    isClosed: closedIn(closed),
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
  const totals = feeds.data?.totals;

  const isWide = useMedia(wide);
  const isPhone = useMedia(phone);
  const isOpen = useSideOpen();
  const isRailed = useHidden("side") || !isWide;
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
    const from = stream.kind === "feed" ? stream.id : null;
    // With the current counts, which may not be rendered yet.
    const now = new Map(
      client.getQueryData(feedsQuery.queryKey)?.feeds.map((feed) => [feed.id, feed]),
    );
    const order = tree && feedsInOrder(tree).map((feed) => now.get(feed.id) ?? feed);
    const other = order && nextUnreadFeed(order, from, step);
    if (!other) return false;
    // The view in the address is for this list only.
    go(readerPath({ kind: "feed", id: other.id }, filter, null, { order: route.order }));
    return true;
  };
  useCommands({
    search: () => focusSearch(),
    "feed.next": () => goToFeed(1),
    "feed.previous": () => goToFeed(-1),
    "pane.side": () => (isWide ? hideOrShow("side") : isOpen ? closeSide() : openSide()),
    "pane.list": () => (canHideList(route) ? hideOrShow("list") : false),
    "pane.next": () => cyclePanes(1),
    "pane.previous": () => cyclePanes(-1),
  });

  const shown: Shown = { stream, stop, closed, toggle };
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
          {isScreen ? <h1>Ruri Reader</h1> : <span>Ruri Reader</span>}
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
        {!isSearchOff && <SearchBox route={route} />}
        <div className="scroll">
          <ul>
            <li>
              <Row
                row="all"
                href="/all"
                icon={<Inbox />}
                name={t`All`}
                isCurrent={stream.kind === "all" && !isUnread}
                isStop={stop === "all"}
              />
            </li>
            <li>
              <Row
                row="unread"
                href="/all?f=unread"
                icon={<CircleDot />}
                name={t`Unread`}
                isCurrent={isUnread}
                isStop={stop === "unread"}
                count={totals?.unread}
              />
            </li>
            <li>
              <Row
                row="starred"
                href="/starred"
                icon={<Star />}
                name={t`Starred`}
                isCurrent={stream.kind === "starred"}
                isStop={stop === "starred"}
                count={totals?.starred}
                countName={t`starred`}
              />
            </li>
            <li>
              <Row
                row="explore"
                href="/explore/hot"
                icon={<TrendingUp />}
                name={t`Popular`}
                isCurrent={stream.kind === "explore"}
                isStop={stop === "explore"}
              />
            </li>
            {hasWatches && (
              <li>
                <Row
                  row="watches"
                  href="/watches"
                  icon={<Tags />}
                  name={t`Watches`}
                  isCurrent={false}
                  isStop={stop === "watches"}
                />
              </li>
            )}
          </ul>
          {isSlow && <SideSkeleton />}
          {feeds.isError && !feeds.data && (
            <div className="mt-4">
              <ErrorNote error={feeds.error} onRetry={() => void feeds.refetch()} />
            </div>
          )}
          {feeds.data?.feeds.length === 0 && <NoFeeds onImport={onImport} />}
          {tree && <Tree tree={tree} shown={shown} />}
          <Names title={t`Labels`} group={labelGroup} kind="label" names={labels} shown={shown} />
          <Names
            title={t`Saved searches`}
            group={savedGroup}
            kind="saved"
            names={saved}
            shown={shown}
          />
        </div>
        {feeds.isError && feeds.data && (
          <StaleNote since={feeds.dataUpdatedAt} onRetry={() => void feeds.refetch()} />
        )}
        <footer>
          <button type="button" className="btn" onClick={() => runCommand("feed.add")}>
            <Plus size={16} />
            <Trans>Add a feed</Trans>
          </button>
          <IconButton
            label={t`Jump to…`}
            command="palette"
            icon={<Command />}
            onClick={() => runCommand("palette")}
          />
          <IconButton
            label={t`Keyboard shortcuts`}
            command="help"
            icon={<CircleHelp />}
            onClick={() => runCommand("help")}
          />
          <SettingsMenu onImport={onImport} />
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
      {isRailed && !isPhone && <Rail route={route} />}
      {!isPhone && (
        <section className="contents" aria-label={t`Pane widths`}>
          {!isRailed && <Splitter pane="side" />}
          <Splitter pane="list" />
        </section>
      )}
      {dialog && <SideDialog request={dialog} actions={actions} onClose={() => setDialog(null)} />}
    </>
  );
}

/** The list can be hidden next to an open item. */
function canHideList(route: ReaderRoute): boolean {
  return route.item !== null && document.querySelector(".frame:not([data-layout])") !== null;
}

/** Undefined for rows that cannot be closed. */
const closedIn = (closed: ReadonlySet<string>) => (row: string) =>
  /^(folder|group):/.test(row) ? closed.has(row) : undefined;

function Tree({
  tree,
  shown,
}: {
  tree: NonNullable<ReturnType<typeof useSideTree>>;
  shown: Shown;
}) {
  const { t, i18n } = useLingui();
  const { stream, stop, closed, toggle } = shown;
  const loose = tree.feeds.map((feed) => (
    <FeedRow
      key={feed.id}
      feed={feed}
      folder={null}
      depth={0}
      isCurrent={stream.kind === "feed" && stream.id === feed.id}
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

interface NamesProps {
  title: string;
  group: string;
  kind: "label" | "saved";
  names: readonly { id: string; name: string }[];
  shown: Shown;
}

/** Labels, or saved searches. */
function Names({ title, group, kind, names, shown }: NamesProps) {
  const { i18n } = useLingui();
  const { stream, stop, closed, toggle } = shown;
  if (names.length === 0) return null;
  const links = names.map(({ id, name }) => {
    const row = kind === "label" ? labelRow(id) : savedRow(id);
    return (
      <li key={id}>
        <Row
          row={row}
          href={readerPath({ kind, id })}
          icon={kind === "label" ? <Tag /> : <Bookmark />}
          name={name}
          lang={textLang("", name, i18n.locale)}
          isCurrent={stream.kind === kind && stream.id === id}
          isStop={stop === row}
          hasMenu
        />
      </li>
    );
  });
  return (
    <section aria-label={title}>
      <Group
        row={group}
        name={title}
        isStop={stop === group}
        isClosed={closed.has(group)}
        onToggle={() => toggle(group)}
      >
        {links}
      </Group>
    </section>
  );
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
