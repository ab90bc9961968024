import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { feedsQuery } from "./feeds";
import { type FlagStore, type Flags, flags } from "./flags";
import { loadedItems } from "./mutations/lists";
import { isSearch, type Stream } from "./routes";
import { sortTime } from "./sort-time";
import {
  hasOwnOrder,
  joined,
  loadPage,
  type StreamPage,
  streamKey,
  streamQuery,
  streamsKey,
} from "./stream";
import type { Feed, Filter, ItemId, ItemSummary, Order } from "./types";

/** Identifies a list. */
export interface ListName {
  stream: Stream;
  filter: Filter;
  order: Order;
}

/** Checked again when the list is opened after this long, or when the counts of its feeds change. */
const staleAfter = 5 * 60_000;
const largestPage = 200;

/** Whether new items appear at the top: not where the oldest come first, nor among stars and labels. */
function canHaveNewItems({ stream, filter, order }: ListName): boolean {
  return order === "new" && !hasOwnOrder(stream, order) && filter !== "starred";
}

/** Loads the first page again; loaded rows take over its marks. */
async function loadFresh(
  client: QueryClient,
  { stream, filter, order }: ListName,
  options: Parameters<typeof loadPage>[3],
): Promise<StreamPage> {
  // Of a search only what came since: looking again would cost as much as the first time.
  const list = client.getQueryData(listKey({ stream, filter, order }));
  const since = isSearch(stream) ? (list?.pages[0]?.asOf ?? null) : null;
  const page = await loadPage(stream, filter, order, { since, ...options });
  adoptMarks(flags, loadedItems(client), page.items);
  return page;
}

type Marked = Flags & { id: ItemId };

/** Takes over the marks of a page that was loaded again, for loaded rows that have not been marked here. */
export function adoptMarks(
  store: FlagStore,
  rows: readonly Marked[],
  page: readonly Marked[],
): void {
  const fresh = new Map(page.map((item) => [item.id, item]));
  for (const row of rows) {
    const { isRead, isStarred } = fresh.get(row.id) ?? row;
    const isSame = isRead === row.isRead && isStarred === row.isStarred;
    if (!isSame && !store.get(row.id)) store.adopt(row.id, { isRead, isStarred });
  }
}

function freshQuery({ stream, filter, order }: ListName) {
  return queryOptions({
    queryKey: [...streamsKey, streamKey(stream, filter, order)],
    queryFn: ({ signal, client }) => loadFresh(client, { stream, filter, order }, { signal }),
    staleTime: staleAfter,
    refetchOnWindowFocus: false,
  });
}

/**
 * The items that came since a list was opened, to be put above it when the person wants. Loading them also updates the
 * marks of the rows, and moves nothing.
 */
export function useNewItems(
  name: ListName,
  pages: readonly StreamPage[] | undefined,
): ItemSummary[] {
  const client = useQueryClient();
  const first = pages?.[0];
  const { data: fresh } = useQuery({
    ...freshQuery(name),
    enabled: first !== undefined,
    // The list itself is the first answer.
    ...(first ? { initialData: first, initialDataUpdatedAt: first.loadedAt } : {}),
  });
  useRefetchOnChange(client, name);
  return useMemo(() => {
    const isNewer = fresh && first && fresh.loadedAt > first.loadedAt;
    return isNewer && pages && canHaveNewItems(name) ? newItemsIn(pages, fresh) : [];
  }, [fresh, first, pages, name]);
}

/** The counts of the feeds of each list when it was last shown. */
const sizes = new Map<string, string>();

/** Loads again when the feeds of the stream have more items. */
function useRefetchOnChange(client: QueryClient, { stream, filter, order }: ListName): void {
  const feeds = useQuery(feedsQuery).data?.feeds;
  const size = feeds && sizeOf(feeds, stream);
  const key = streamKey(stream, filter, order);
  useEffect(() => {
    if (size === undefined) return;
    const before = sizes.get(key);
    sizes.set(key, size);
    if (before === undefined || before === size) return;
    void client.invalidateQueries({ queryKey: [...streamsKey, key] });
  }, [size, key, client]);
}

function sizeOf(feeds: readonly Feed[], stream: Stream): string {
  const chosen = stream.kind === "feed" ? feeds.filter((feed) => feed.id === stream.id) : feeds;
  let count = 0;
  let last = "";
  for (const { itemCount, lastItemAt } of chosen) {
    count += itemCount;
    if (lastItemAt && lastItemAt > last) last = lastItemAt;
  }
  return `${count} ${last}`;
}

/**
 * The items of a fresh first page that are new at the top of a list. In a list of unread items the page may reach further
 * down than before, to items that were not loaded: those are not new.
 */
export function newItemsIn(pages: readonly StreamPage[], fresh: StreamPage): ItemSummary[] {
  const items = joined(pages);
  const known = new Set(items.map((item) => item.id));
  const isWhole = pages.at(-1)?.nextCursor === null || fresh.isSince === true;
  const lastKnown = fresh.items.findLastIndex((item) => known.has(item.id));
  const newest = items[0] ? sortTime(items[0]) : "";
  return fresh.items.filter(
    (item, at) => !known.has(item.id) && (isWhole || at < lastKnown || sortTime(item) > newest),
  );
}

/** Puts new items above the list. Marking the whole list covers them from then on. */
export async function showNewItems(client: QueryClient, name: ListName): Promise<void> {
  const { stream, filter, order } = name;
  let fresh = client.getQueryData(freshQuery(name).queryKey);
  const pages = client.getQueryData(listKey(name))?.pages;
  if (!fresh || !pages) return;
  const known = new Set(joined(pages).map((item) => item.id));
  const meets = (page: StreamPage) =>
    (page.isSince && page.nextCursor === null) || page.items.some((item) => known.has(item.id));
  if (!meets(fresh) && fresh.nextCursor !== null) {
    // More is new than fits into a page: nothing between the two may be left out.
    fresh = await loadPage(stream, filter, order, { limit: largestPage });
  }
  const top: StreamPage = fresh;
  client.setQueryData(listKey(name), (old) => {
    if (!old) return old;
    if (known.size > 0 && !meets(top) && top.nextCursor !== null) {
      return { pages: [top], pageParams: [null] };
    }
    const added = { ...top, items: newItemsIn(old.pages, top) };
    return { pages: [added, ...old.pages], pageParams: [null, ...old.pageParams] };
  });
}

/** Loads the first page past all caches. Returns how many items are new. */
export async function checkForNewItems(client: QueryClient, name: ListName): Promise<number> {
  const fresh = await loadFresh(client, name, { anew: true });
  client.setQueryData(freshQuery(name).queryKey, fresh);
  const pages = client.getQueryData(listKey(name))?.pages;
  return pages && canHaveNewItems(name) ? newItemsIn(pages, fresh).length : 0;
}

function listKey({ stream, filter, order }: ListName) {
  return streamQuery(stream, filter, order).queryKey;
}
