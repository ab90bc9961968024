import { Trans, useLingui } from "@lingui/react/macro";
import {
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
} from "react";
import { type CacheSnapshot, Virtualizer, type VirtualizerHandle } from "virtua";
import { feedTitle } from "@/data/feeds";
import { type ReaderRoute, readerPath } from "@/data/routes";
import type { Feed, FeedId, ItemId, ItemSummary } from "@/data/types";
import { ErrorNote } from "@/ui/error-note";
import { ItemRow } from "./item-row";

export interface ListHandle {
  /** Brings a row into view and gives it the focus. */
  focusRow(index: number): void;
  reveal(index: number): void;
}

interface Props {
  ref: Ref<ListHandle>;
  route: ReaderRoute;
  listKey: string;
  items: readonly ItemSummary[];
  feeds: ReadonlyMap<FeedId, Feed>;
  cursor: ItemId | null;
  isEnd: boolean;
  isLoadingMore: boolean;
  moreError: unknown;
  onMore: () => void;
  onOpen: (id: ItemId) => void;
  onCursor: (id: ItemId) => void;
  onStar: (item: ItemSummary) => void;
  before: ReactNode;
}

const rowHeight = 84;
const ahead = 15;

/** Where each stream was left, the last thirty: back and feed switches come to the same place. */
const places = new Map<string, { cache: CacheSnapshot; offset: number; length: number }>();
const keptPlaces = 30;

export function ItemList(props: Props) {
  const { items, route, listKey, onMore, isEnd, isLoadingMore, moreError } = props;
  const { t } = useLingui();
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const first = useRef<HTMLDivElement>(null);
  const place = useRef(places.get(listKey));
  const cache = place.current?.length === items.length ? place.current.cache : undefined;

  // The place is taken once, when the rows are there, and kept when the list goes.
  useLayoutEffect(() => {
    const old = place.current;
    if (old && scroller.current) scroller.current.scrollTop = old.offset;
  }, []);
  const count = useRef(items.length);
  count.current = items.length;
  useLayoutEffect(() => {
    const box = scroller.current;
    const handle = list.current;
    return () => {
      if (!box || !handle) return;
      places.delete(listKey);
      places.set(listKey, { cache: handle.cache, offset: box.scrollTop, length: count.current });
      for (const key of [...places.keys()].slice(0, -keptPlaces)) places.delete(key);
    };
  }, [listKey]);

  useImperativeHandle(props.ref, () => {
    const reveal = (index: number) => list.current?.scrollToIndex(index, { align: "nearest" });
    return {
      reveal,
      focusRow(index) {
        reveal(index);
        const id = items[index]?.id;
        const focus = () => {
          const row = scroller.current?.querySelector<HTMLElement>(`[data-item="${id}"]`);
          row?.focus({ preventScroll: true });
          return row != null;
        };
        // A row that was far away is mounted in the next frame.
        if (!focus()) requestAnimationFrame(() => focus());
      },
    };
  }, [items]);

  const more = useCallback(() => {
    const handle = list.current;
    if (!handle || isEnd || isLoadingMore || moreError) return;
    const last = handle.findItemIndex(handle.scrollOffset + handle.viewportSize);
    if (last >= items.length - ahead) onMore();
  }, [isEnd, isLoadingMore, moreError, items.length, onMore]);
  useEffect(more, [more]);

  const cursorIndex = useMemo(
    () => items.findIndex((item) => item.id === props.cursor),
    [items, props.cursor],
  );
  const tabStop = Math.max(0, cursorIndex);
  const keep = useMemo(() => [tabStop], [tabStop]);

  return (
    <div ref={scroller} className="scroll">
      <div ref={first}>{props.before}</div>
      <div role="feed" aria-label={t`Items`} aria-busy={isLoadingMore}>
        <Virtualizer
          ref={list}
          scrollRef={scroller}
          data={items}
          itemSize={rowHeight}
          startMargin={first.current?.offsetHeight ?? 0}
          keepMounted={keep}
          onScroll={more}
          {...(cache ? { cache } : {})}
        >
          {(item, index) => {
            const feed = props.feeds.get(item.feedId);
            return (
              <ItemRow
                key={item.id}
                item={item}
                feedName={feed ? feedTitle(feed) : ""}
                href={readerPath(route.stream, route.filter, item.id, route)}
                isOpen={item.id === route.item}
                isCursor={index === tabStop}
                position={index + 1}
                size={isEnd ? items.length : -1}
                onOpen={props.onOpen}
                onCursor={props.onCursor}
                onStar={props.onStar}
              />
            );
          }}
        </Virtualizer>
      </div>
      <div className="list-end" aria-live="polite">
        {moreError ? (
          <ErrorNote error={moreError} onRetry={onMore} />
        ) : isEnd ? (
          <Trans>That is all.</Trans>
        ) : (
          <Trans>Loading…</Trans>
        )}
      </div>
    </div>
  );
}
