import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { feedsQuery } from "./feeds";
import { flags } from "./flags";
import { placeOf } from "./place";
import type { Stream } from "./routes";
import {
  hasOwnOrder,
  joined,
  loadedItems,
  loadPage,
  type StreamPage,
  streamKey,
  streamQuery,
  streamsKey,
} from "./stream";
import type { Feed, Filter, ItemSummary, Order } from "./types";

/** How a list is named. */
export interface ListName {
  stream: Stream;
  filter: Filter;
  order: Order;
}

/** Looked at again when the list is opened after this long, or the side bar tells of new items. */
const staleAfter = 5 * 60_000;
const largestPage = 200;

/** Its top can have something new: what is oldest first grows at its end, stars and labels are the person's own. */
export function hasNews({ stream, filter, order }: ListName): boolean {
  return order === "new" && !hasOwnOrder(stream) && filter !== "starred";
}

/** The first page as it is now; rows that are loaded show what it says of them. */
async function loadFresh(
  client: QueryClient,
  { stream, filter, order }: ListName,
  how: Parameters<typeof loadPage>[3],
): Promise<StreamPage> {
  const page = await loadPage(stream, filter, order, how);
  flags.learn(loadedItems(client), page.items);
  return page;
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
 * What has come since a list was opened, to be put above it when the person wants. Asking brings the marks of the
 * rows up to date, too, and moves nothing.
 */
export function useNews(name: ListName, pages: readonly StreamPage[] | undefined): ItemSummary[] {
  const client = useQueryClient();
  const first = pages?.[0];
  const { data: fresh } = useQuery({
    ...freshQuery(name),
    enabled: first !== undefined,
    // The list itself is the first answer; its age is what counts.
    ...(first ? { initialData: first, initialDataUpdatedAt: first.loadedAt } : {}),
  });
  useChanges(client, name);
  return useMemo(() => {
    const isNewer = fresh && first && fresh.loadedAt > first.loadedAt;
    return isNewer && pages && hasNews(name) ? newsIn(pages, fresh) : [];
  }, [fresh, first, pages, name]);
}

/** How much the feeds of each list had when it was last looked at. */
const sizes = new Map<string, string>();

/** The side bar says that the stream's feeds have more: then it is worth asking. */
function useChanges(client: QueryClient, { stream, filter, order }: ListName): void {
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
 * The items of a fresh first page that are new at the top of a list. In a list of unread items the page reaches
 * further down than it did, to items that were only not loaded: those are not new.
 */
export function newsIn(pages: readonly StreamPage[], fresh: StreamPage): ItemSummary[] {
  const items = joined(pages);
  const known = new Set(items.map((item) => item.id));
  const isWhole = pages.at(-1)?.nextCursor === null;
  const lastKnown = fresh.items.findLastIndex((item) => known.has(item.id));
  const newest = items[0] ? placeOf(items[0]) : "";
  return fresh.items.filter(
    (item, at) => !known.has(item.id) && (isWhole || at < lastKnown || placeOf(item) > newest),
  );
}

/** Puts what is new above the list. What was shown then is what a mark of the whole list means. */
export async function showNews(client: QueryClient, name: ListName): Promise<void> {
  const { stream, filter, order } = name;
  let fresh = client.getQueryData(freshQuery(name).queryKey);
  const pages = client.getQueryData(listKey(name))?.pages;
  if (!fresh || !pages) return;
  const known = new Set(joined(pages).map((item) => item.id));
  const meets = (page: StreamPage) => page.items.some((item) => known.has(item.id));
  if (!meets(fresh) && fresh.nextCursor !== null) {
    // More is new than a page holds: nothing between the two may be left out.
    fresh = await loadPage(stream, filter, order, { limit: largestPage });
  }
  const top: StreamPage = fresh;
  client.setQueryData(listKey(name), (old) => {
    if (!old) return old;
    if (known.size > 0 && !meets(top) && top.nextCursor !== null) {
      return { pages: [top], pageParams: [null] };
    }
    const news = { ...top, items: newsIn(old.pages, top) };
    return { pages: [news, ...old.pages], pageParams: [null, ...old.pageParams] };
  });
}

/** Asks as things are now. Gives how many are new. */
export async function askAnew(client: QueryClient, name: ListName): Promise<number> {
  const fresh = await loadFresh(client, name, { anew: true });
  client.setQueryData(freshQuery(name).queryKey, fresh);
  const pages = client.getQueryData(listKey(name))?.pages;
  return pages && hasNews(name) ? newsIn(pages, fresh).length : 0;
}

function listKey({ stream, filter, order }: ListName) {
  return streamQuery(stream, filter, order).queryKey;
}
