import { Trans, useLingui } from "@lingui/react/macro";
import {
  type ReactNode,
  type Ref,
  Suspense,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { type CacheSnapshot, Virtualizer, type VirtualizerHandle } from "virtua";
import { feedTitle } from "@/data/feeds";
import type { Part } from "@/data/mutations/mark-read";
import { type ReaderRoute, readerPath } from "@/data/routes";
import { scrollPosition } from "@/data/scroll-positions";
import { toContinue } from "@/data/stopped";
import type { Feed, FeedId, ItemId, ItemSummary } from "@/data/types";
import { dayName } from "@/i18n/format";
import { useToday } from "@/i18n/use-now";
import { HoldKeys } from "@/keys/hold-keys";
import { lazyNamed } from "@/ui/lazy-named";
import { ItemRow, type RowHandlers } from "./item-row";
import { earlier, type Line, lineAt, sizesOf, toLines } from "./lines";
import { useScrollRestore } from "./use-scroll-restore";
import type { Shape } from "./use-shape";

const Opened = lazyNamed("Opened", () => import("./opened"));
const StreamArticle = lazyNamed("StreamArticle", () => import("./stream-article"));
const ItemMenu = lazyNamed("ItemMenu", () => import("./item-menu"));

export interface ListHandle {
  /** Scrolls to a row and focuses it; with `isStep`, so that the next rows are visible too. */
  focusRow(index: number, isStep?: boolean): void;
  reveal(index: number): void;
  showEnd(): void;
  /** Scrolls by a page inside the row that is open in place; false at its end, and when none is. */
  page(step: 1 | -1): boolean;
  /** Scrolls to the first row that is not visible as a whole; returns those that are. */
  passScreen(): readonly ItemSummary[];
}

export interface ListProps {
  ref: Ref<ListHandle>;
  route: ReaderRoute;
  listKey: string;
  shape: Shape;
  items: readonly ItemSummary[];
  /** They are sorted by day. */
  hasDays: boolean;
  feeds: ReadonlyMap<FeedId, Feed>;
  cursor: ItemId | null;
  isEnd: boolean;
  isLoadingMore: boolean;
  /** Shown when further items could not be loaded, or are only loaded when the person wants. */
  moreError: ReactNode;
  onMore: () => void;
  onOpen: (id: ItemId) => void;
  onCursor: (id: ItemId) => void;
  onStar: (item: ItemSummary) => void;
  onRead: (item: ItemSummary) => void;
  onLater: (item: ItemSummary) => void;
  onPin: (item: ItemSummary) => void;
  onMark: (part: Part) => void;
  before: ReactNode;
  /** Below the last row. */
  end: ReactNode;
  /** The content below an open row; without it items open next to the list. */
  renderOpen?: ((item: ItemSummary) => ReactNode) | undefined;
}

const ahead = 15;
const cardWidth = 264;

let hadFocus = false;

export function ItemList(props: ListProps) {
  const { items, route, shape, hasDays, isEnd, isLoadingMore, moreError, renderOpen } = props;
  const { t, i18n } = useLingui();
  const today = useToday();
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const top = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;

  const [margin, setMargin] = useState<number | null>(null);
  const latestMargin = useRef(margin);
  latestMargin.current = margin;
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const box = scroller.current;
    const head = top.current;
    if (!box || !head) return;
    const measure = () => {
      setMargin(head.offsetTop + head.offsetHeight);
      setWidth(box.clientWidth);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    observer.observe(head);
    return () => observer.disconnect();
  }, []);

  const columns =
    shape.mode === "gallery" ? Math.max(1, Math.min(3, Math.floor(width / cardWidth))) : 1;
  const lines = useMemo(
    () => toLines(items, columns, hasDays, isEnd),
    [items, columns, hasDays, isEnd],
  );
  const sizes = useMemo(() => sizesOf(shape, width, columns), [shape, width, columns]);
  // The format of the virtual list, which reads it once when it mounts.
  const cache = useMemo(
    () => [
      lines.map(({ day, items }) => sizes.of(items) + (day === null ? 0 : sizes.day)),
      sizes.line,
    ],
    [lines, sizes],
  ) as unknown as CacheSnapshot;

  const open = renderOpen ? route.item : null;
  const { mountedFor, onScroll: restoreScroll } = useScrollRestore({
    ...props,
    open,
    scroller,
    list,
    lines,
    margin,
    columns,
  });
  const pressed = useRef<ItemId | null>(null);
  // Only for an item that is open when the list is restored.
  const left = useRef(open === null ? undefined : scrollPosition(props.listKey));

  useLayoutEffect(() => {
    const { listKey, items, shape } = latest.current;
    if (shape.mode === "stream") toContinue.set(scrollPosition(listKey) ?? items[0] ?? null);
  }, []);

  const reveal = useRef((_index: number): void => undefined);
  useImperativeHandle(props.ref, () => {
    const show = (index: number, isStep = false) => {
      const { route, renderOpen } = latest.current;
      if (shape.mode === "stream") {
        list.current?.scrollToIndex(lineAt(lines, index), { align: "start" });
        if (items[index]) toContinue.set({ id: items[index].id });
        return;
      }
      // A row that is open in the list was scrolled to when it opened.
      if (renderOpen && items[index]?.id === route.item) return;
      const box = scroller.current;
      const handle = list.current;
      if (!box || !handle) return;
      // Behind an item on a phone the list is not visible.
      const isSeen = isStep && box.checkVisibility({ visibilityProperty: true });
      const row = rowOf(box, items[index]?.id);
      // As it is laid out now: the virtual list measures what was closed only after the next frame.
      if (row && !isSeen) return row.scrollIntoView({ block: "nearest" });
      const line = lineAt(lines, index);
      // Measured: the virtual list knows a restored position only after the next scroll event.
      const top = (latestMargin.current ?? 0) + handle.getItemOffset(line) - box.scrollTop;
      // The heading of the day stays above the rows.
      const head = hasDays ? sizes.day : 0;
      const room = isSeen ? Math.min(Math.max(2 * sizes.line, 120), box.clientHeight / 4) : 0;
      const isOut = top < head || top + handle.getItemSize(line) > box.clientHeight - room;
      if (!isSeen && isOut) handle.scrollToIndex(line, { align: "nearest" });
      else if (top < head) handle.scrollToIndex(line, { align: "start", offset: -room });
      else if (isOut) handle.scrollToIndex(line, { align: "end", offset: room });
    };
    reveal.current = show;
    return {
      reveal: (index) => show(index),
      showEnd: () => scroller.current?.scrollTo({ top: scroller.current.scrollHeight }),
      focusRow(index, isStep) {
        show(index, isStep);
        const id = items[index]?.id;
        // A row that was far away is mounted in one of the next frames, later when another mode is loaded first.
        const focus = (frames: number) => {
          const row = rowOf(scroller.current, id);
          if (row) {
            row.tabIndex = 0;
            row.focus({ preventScroll: true });
          } else if (frames > 0) requestAnimationFrame(() => focus(frames - 1));
        };
        focus(30);
      },
      page(step) {
        const box = scroller.current;
        if (box && shape.mode === "stream") {
          const before = box.scrollTop;
          box.scrollBy({ top: step * (box.clientHeight - 88) });
          return box.scrollTop !== before || step < 0;
        }
        const open = box?.querySelector(".opened")?.getBoundingClientRect();
        if (!box || !open) return false;
        const view = box.getBoundingClientRect();
        if (step > 0 ? open.bottom <= view.bottom + 4 : open.top >= view.top) return false;
        box.scrollBy({ top: step * (box.clientHeight - 96) });
        return true;
      },
      passScreen() {
        const box = scroller.current;
        const handle = list.current;
        if (!box || !handle) return [];
        const start = latestMargin.current ?? 0;
        const end = box.scrollTop + box.clientHeight;
        const isWhole = (at: number) => {
          const top = start + handle.getItemOffset(at);
          return top >= box.scrollTop - 1 && top + handle.getItemSize(at) <= end + 1;
        };
        const whole = lines.map((_, at) => at).filter(isWhole);
        const next = (whole.at(-1) ?? lines.length) + 1;
        // At once, so that focusing that row does not scroll to it in another way.
        if (lines[next]) box.scrollTop = start + handle.getItemOffset(next);
        return whole.flatMap((at) => lines[at]?.items ?? []);
      },
    };
  }, [items, lines, sizes, shape.mode, hasDays]);

  const indexOf = (id: ItemId | null) => (id === null ? -1 : items.findIndex((i) => i.id === id));
  // biome-ignore lint/correctness/useExhaustiveDependencies: a search over all, only when one of them changes
  const opened = useMemo(() => indexOf(open), [items, open]);

  const more = useCallback(() => {
    const handle = list.current;
    if (!handle || isEnd || isLoadingMore || moreError) return;
    const last = lines[handle.findItemIndex(handle.scrollOffset + handle.viewportSize)];
    // The rows below an open text are there when it is closed.
    if (last && Math.max(last.first, opened) >= items.length - ahead) latest.current.onMore();
  }, [isEnd, isLoadingMore, moreError, items.length, lines, opened]);
  useEffect(more, [more]);
  const [stuckDay, setStuckDay] = useState<number | null>(null);
  const onScroll = useCallback(() => {
    more();
    restoreScroll();
    // In Stream the cursor is what is read.
    if (shape.mode === "stream" && list.current && latestMargin.current !== null) {
      const at = list.current.findItemIndex(list.current.scrollOffset + 1);
      const item = lines[at]?.items[0];
      if (item && item.id !== latest.current.cursor)
        followCursor(scroller.current, item.id, latest.current.onCursor);
    }
    if (hasDays) setStuckDay(dayAbove(list.current, lines, latestMargin.current ?? 0));
  }, [more, restoreScroll, hasDays, lines, shape.mode]);

  // Gestures are loaded on touch screens only.
  useEffect(() => {
    const box = scroller.current;
    if (!box || !matchMedia("(pointer: coarse)").matches) return;
    let stop: (() => void) | null = () => undefined;
    const onItem = (id: ItemId, act: (item: ItemSummary) => void) => {
      const item = latest.current.items.find((one) => one.id === id);
      if (item) act(item);
    };
    void import("./deferred/row-gestures").then(({ listenForGestures }) => {
      if (!stop) return;
      stop = listenForGestures(box, {
        star: (id) => onItem(id, latest.current.onStar),
        read: (id) => onItem(id, latest.current.onRead),
        menu: (id, row) => onItem(id, (item) => setMenu({ item, opener: row })),
      });
    });
    return () => {
      stop?.();
      stop = null;
    };
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a search over all, only when one of them changes
  const tabStop = useMemo(() => Math.max(0, indexOf(props.cursor)), [items, props.cursor]);
  const latestStop = useRef<ItemId>(undefined);
  latestStop.current = items[tabStop]?.id;
  // Where Tab enters the list. Not as a prop: on the row that has the focus a changed tabindex costs a layout, so it is
  // set before the focus comes and removed when it has gone, which is in this microtask at the latest.
  useLayoutEffect(() =>
    queueMicrotask(() => {
      const stop = rowOf(scroller.current, latestStop.current);
      for (const row of scroller.current?.querySelectorAll<HTMLElement>(".row") ?? []) {
        const index = row === stop ? 0 : -1;
        if (row.tabIndex !== index) row.tabIndex = index;
      }
    }),
  );

  // Another view mounts another list, which takes over the focus.
  const isMeasured = width > 0;
  useLayoutEffect(() => {
    // Rows from before are replaced.
    if (!isMeasured) return;
    if (hadFocus && document.activeElement === document.body)
      rowOf(scroller.current, latestStop.current)?.focus({ preventScroll: true });
    hadFocus = false;
  }, [isMeasured]);
  useLayoutEffect(() => {
    const box = scroller.current;
    return () => {
      hadFocus = box?.contains(document.activeElement) ?? false;
    };
  }, []);

  const [menu, setMenu] = useState<{
    item: ItemSummary;
    opener: HTMLElement;
    at?: { x: number; y: number } | undefined;
  } | null>(null);
  // Always the same object: props decide whether a row renders.
  const on = useMemo<RowHandlers>(
    () => ({
      onOpen(id) {
        pressed.current = id;
        latest.current.onOpen(id);
      },
      onCursor: (id) => latest.current.onCursor(id),
      onStar: (item) => latest.current.onStar(item),
      onRead: (item) => latest.current.onRead(item),
      onLater: (item) => latest.current.onLater(item),
      onMenu: (item, opener, at) => setMenu({ item, opener, at }),
    }),
    [],
  );

  const nameOfDay = (day: number) =>
    day === earlier ? t`Earlier` : dayName(day, today, i18n.locale);
  // Keeps the row of a closed item in view.
  const before = useRef(opened);
  useEffect(() => {
    const closed = before.current;
    before.current = opened;
    if (opened >= 0 || closed < 0) return;
    const frame = requestAnimationFrame(() => reveal.current(closed));
    return () => cancelAnimationFrame(frame);
  }, [opened]);
  const keep = useMemo(
    () => [tabStop, opened].filter((index) => index >= 0).map((index) => lineAt(lines, index)),
    [tabStop, opened, lines],
  );

  return (
    <div ref={scroller} className="scroll">
      <div ref={top}>{props.before}</div>
      {stuckDay !== null && (
        <div className="day stuck" aria-hidden="true">
          {nameOfDay(stuckDay)}
        </div>
      )}
      <div role="feed" aria-label={t`Articles`} aria-busy={isLoadingMore}>
        <Virtualizer
          // Mounts again for another number of columns.
          key={`${width === 0 ? 0 : columns} ${mountedFor}`}
          ref={list}
          scrollRef={scroller}
          data={lines}
          itemSize={sizes.line}
          cache={cache}
          bufferSize={shape.mode === "stream" ? 1200 : shape.mode === "skim" ? 100 : 200}
          startMargin={margin ?? 0}
          keepMounted={keep}
          onScroll={onScroll}
        >
          {(line) => {
            const isOpen = line.items.find((item) => item.id === open);
            return (
              <div key={line.key} className="line" data-columns={columns}>
                {line.day !== null && <div className="day">{nameOfDay(line.day)}</div>}
                {line.items.map((item, i) => {
                  const feed = props.feeds.get(item.feedId);
                  const index = line.first + i;
                  return (
                    <ItemRow
                      key={item.id}
                      item={item}
                      feedName={feed ? feedTitle(feed) : item.feedTitle}
                      feedIcon={feed?.iconUrl ?? null}
                      href={readerPath(route.stream, route.filter, item.id, route)}
                      shape={shape}
                      isOpen={item.id === route.item}
                      isCursor={item.id === props.cursor}
                      position={index + 1}
                      size={isEnd ? items.length : -1}
                      on={on}
                    />
                  );
                })}
                {shape.mode === "stream" &&
                  line.items.map((item) => (
                    <Suspense
                      key={`text ${item.id}`}
                      fallback={<div className="opened" data-waiting />}
                    >
                      <StreamArticle
                        item={item}
                        feed={props.feeds.get(item.feedId)}
                        position={line.first + 1}
                        size={isEnd ? items.length : -1}
                      />
                    </Suspense>
                  ))}
                {isOpen && shape.mode !== "stream" && (
                  <Suspense key={`open ${isOpen.id}`} fallback={null}>
                    <Opened
                      id={isOpen.id}
                      position={opened + 1}
                      size={isEnd ? items.length : -1}
                      pressed={pressed}
                      left={left}
                    >
                      {renderOpen?.(isOpen)}
                    </Opened>
                  </Suspense>
                )}
              </div>
            );
          }}
        </Virtualizer>
      </div>
      <div className="contents" aria-live="polite">
        {/* A new element for each page, so that it does not move. */}
        <div key={items.length} className="list-end">
          {moreError || (isEnd ? props.end : <Trans>Loading…</Trans>)}
        </div>
      </div>
      {menu && (
        <Suspense fallback={<HoldKeys onCancel={() => setMenu(null)} />}>
          <ItemMenu
            {...menu}
            index={indexOf(menu.item.id)}
            count={items.length}
            onStar={props.onStar}
            onRead={props.onRead}
            onLater={props.onLater}
            onPin={props.onPin}
            onMark={props.onMark}
            onClose={() => setMenu(null)}
          />
        </Suspense>
      )}
    </div>
  );
}

/** Moves the cursor, and the focus if a row has it. */
function followCursor(box: HTMLElement | null, id: ItemId, onCursor: (id: ItemId) => void): void {
  onCursor(id);
  if (document.activeElement?.matches(".row") && box?.contains(document.activeElement))
    rowOf(box, id)?.focus({ preventScroll: true });
}

function rowOf(box: HTMLElement | null, id: ItemId | undefined): HTMLElement | null {
  return box?.querySelector<HTMLElement>(`[data-item="${id}"]`) ?? null;
}

/** The heading above the first visible line, once it has left the view itself. */
function dayAbove(
  handle: VirtualizerHandle | null,
  lines: readonly Line[],
  margin: number,
): number | null {
  if (!handle || handle.scrollOffset <= margin) return null;
  for (let at = handle.findItemIndex(handle.scrollOffset); at >= 0; at -= 1) {
    const day = lines[at]?.day ?? null;
    if (day !== null) return day;
  }
  return null;
}
