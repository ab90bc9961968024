import { infiniteQueryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { api } from "./client";
import { flags } from "./flags";
import { isSearch, type Search, type Stream, streamName } from "./routes";
import { getSetting } from "./settings";
import { adoptStopped } from "./stopped";
import type { Filter, ItemSummary, Order, Today, Total } from "./types";

/** Lists as they were opened; only opening them again replaces them. */
export const listsKey = ["list"] as const;
/** Lists as the server would answer now (new-items.ts). Changes of their content invalidate this. */
export const streamsKey = ["stream"] as const;

export function streamKey(stream: Stream, filter: Filter, order: Order = "new"): string {
  return `${streamName(stream)}|${filter}${order === "new" ? "" : `|${order}`}`;
}

export interface StreamPage {
  items: ItemSummary[];
  nextCursor: string | null;
  /** The server ended the page before it was full; the rest is to be loaded at once. */
  isPartial?: boolean;
  /** Identifies what the list shows, for marking it read; null where the server cannot mark the list. */
  asOf: string | null;
  loadedAt: number;
  /** A search took too long and got only this far back: the items up to here were looked at. */
  reached?: string;
  /** How much a search finds; only with its first page. */
  total?: Total | null;
  /** The words of a search that this is the answer to. */
  q?: string;
  /** The index of searches is not complete yet. */
  isBuilding?: boolean;
  /** Of what is popular: whether anything is counted, and whether first counts are there. */
  counts?: "off" | "collecting" | "ready";
  /** Other tags of its articles, where they have one in common. */
  related?: string[];
  /** Yahoo! JAPAN has to be named beside its tags. */
  namesYahoo?: boolean;
  /** Of Today: what the page shows. */
  day?: Today;
  /** Has only what came since another page. */
  isSince?: boolean;
}

interface PageRequest {
  cursor?: string | null;
  limit?: number;
  /** `asOf` of an earlier page of a search: only what came since. */
  since?: string | null;
  anew?: boolean;
  background?: boolean;
  signal?: AbortSignal | undefined;
}

/** Loads one page. */
export async function loadPage(
  stream: Stream,
  wanted: Filter,
  order: Order,
  {
    cursor = null,
    limit = getSetting("itemsPerPage"),
    since = null,
    anew = false,
    background = false,
    signal,
  }: PageRequest,
): Promise<StreamPage> {
  const askedAt = performance.now();
  const filter = stream.kind === "starred" ? "starred" : wanted;
  const query = {
    limit,
    ...(filter === "all" ? {} : { filter }),
    ...(order === "new" ? {} : { order: order === "old" ? ("oldest" as const) : order }),
    ...(stream.kind === "folder" || stream.kind === "label" ? { [stream.kind]: stream.id } : {}),
    ...(cursor === null ? {} : { cursor }),
  };
  const rest = { anew, background, ...(signal ? { signal } : {}) };
  const options = { query, ...rest };
  if (isSearch(stream)) {
    const all = { ...query, ...(since === null ? {} : { since }) };
    const found = await search(stream, all, rest);
    flags.absorb(found.items, askedAt);
    return { ...found, isSince: since !== null, loadedAt: Date.now() };
  }
  if (stream.kind === "today") {
    // At once, so that it takes over the answer to the page's first lines.
    const answer = api.get("/api/today", rest);
    const [day, { todayItems }] = await Promise.all([answer, import("./today")]);
    adoptStopped(day.continued.map(({ place }) => place));
    const items = todayItems(day);
    flags.absorb(items, askedAt);
    return { items, nextCursor: null, asOf: null, day, loadedAt: Date.now() };
  }
  if (stream.kind === "explore") {
    const { explore } = await import("./explore");
    const entries = await explore(stream, limit, cursor, rest);
    flags.absorb(entries.items, askedAt);
    return { ...entries, loadedAt: Date.now() };
  }
  if (stream.kind === "recent") {
    const opened = await import("./recent").then((m) => m.recentItems(cursor, rest));
    flags.absorb(opened.items, askedAt);
    return { ...opened, loadedAt: Date.now() };
  }
  const { items, nextCursor, isPartial, asOf } =
    stream.kind === "feed"
      ? await api.get("/api/feeds/{id}/items", { path: { id: stream.id }, ...options })
      : await api.get("/api/items", options);
  flags.absorb(items, askedAt);
  // A list from the offline copy has none.
  const page = { items, nextCursor, asOf: asOf || null, loadedAt: Date.now() };
  return isPartial ? { ...page, isPartial } : page;
}

async function search(
  stream: Stream,
  query: { limit: number; filter?: Filter; cursor?: string; since?: string },
  rest: { anew: boolean; background: boolean; signal?: AbortSignal },
): Promise<Omit<StreamPage, "loadedAt">> {
  const found = stream.kind === "search" ? stream : null;
  const q = found?.isTyped
    ? (await import("./search-terms")).typedQuery(found.q)
    : (found?.q ?? null);
  // Nothing is searched for yet.
  if (q === "") return { items: [], nextCursor: null, asOf: null, q };
  // Days are those of the person.
  const tz = -new Date().getTimezoneOffset();
  const { items, nextCursor, asOf, reached, state, total } =
    found && q !== null
      ? await api.get("/api/search", { query: { ...termsOf(found), q, ...query, tz }, ...rest })
      : await api.get("/api/searches/{id}/items", {
          path: { id: (stream as { id: string }).id },
          query: { ...query, tz },
          ...rest,
        });
  return {
    items,
    nextCursor,
    asOf: asOf || null,
    ...(reached ? { reached } : {}),
    isBuilding: state === "building",
    total,
    ...(found ? { q: found.q } : {}),
  };
}

/** The parameters of a search. */
function termsOf({ in: place, from, to, sort }: Search) {
  return {
    ...(place === "" ? {} : { [place[0] === "f" ? "feed" : "folder"]: place.slice(1) }),
    ...(from === "" ? {} : { from }),
    ...(to === "" ? {} : { to }),
    ...(sort === "date" ? {} : { sort }),
  };
}

/** Today stays as it is for five minutes; after that, opening it again loads it again. */
const todayIsFresh = 5 * 60_000;

export function streamQuery(stream: Stream, filter: Filter, order: Order = "new") {
  return infiniteQueryOptions({
    queryKey: [...listsKey, streamKey(stream, filter, order)],
    queryFn: ({ pageParam, signal }) =>
      loadPage(stream, filter, order, { cursor: pageParam, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    // Nothing moves while it is read: new items wait behind the pill (new-items.ts). Today has none.
    staleTime: stream.kind === "today" ? todayIsFresh : Number.POSITIVE_INFINITY,
    // A filter is a snapshot: rows that stop matching stay until the stream is opened again, and nothing of the old
    // list is reused then.
    ...(stream.kind !== "today" &&
    (hasOwnOrder(stream, order) || stream.kind === "saved" || filter !== "all")
      ? { gcTime: 0 }
      : {}),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

/** Not by date: nothing new appears at the top. */
export function hasOwnOrder(stream: Stream, order: Order): boolean {
  return (
    order === "popular" ||
    stream.kind === "starred" ||
    stream.kind === "recent" ||
    stream.kind === "label" ||
    stream.kind === "today" ||
    (stream.kind === "explore" && stream.tab !== "new")
  );
}

export function useStream(stream: Stream, filter: Filter, order: Order = "new") {
  const query = useInfiniteQuery({
    ...streamQuery(stream, filter, order),
    // What was found stays until the next search has an answer: the server may want a pause first. While it is
    // typed, so does that nothing was found.
    placeholderData: (before, of) =>
      stream.kind === "search" &&
      of?.queryKey[1]?.startsWith("search:") &&
      (stream.isTyped || before?.pages[0]?.items[0])
        ? before
        : undefined,
  });
  const pages = query.data?.pages;
  const items = useMemo(() => joined(pages ?? []), [pages]);
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query;
  // A search that gets only so far back goes on once by itself, and after that when it is asked to.
  const stops = pages?.filter(({ reached }) => reached).length ?? 0;
  const reached = (hasNextPage && pages?.at(-1)?.reached) || null;
  const stoppedAt = stops > 1 ? reached : null;
  const isShort =
    (endsShort(pages ?? []) || (reached !== null && stops === 1)) &&
    !isFetching &&
    !isFetchNextPageError;
  useEffect(() => {
    if (isShort) void fetchNextPage({ cancelRefetch: false });
  }, [isShort, fetchNextPage]);
  const isPending =
    query.isPending || (items.length === 0 && hasNextPage && !query.isError && stoppedAt === null);
  return { ...query, isPending, items, stoppedAt, asOf: pages?.[0]?.asOf ?? null };
}

/** Whether the last pages are parts that do not make up a full one yet. */
function endsShort(pages: readonly StreamPage[]): boolean {
  const parts = pages.slice(pages.findLastIndex((page) => !page.isPartial) + 1);
  const size = parts.reduce((sum, page) => sum + page.items.length, 0);
  return parts.length > 0 && size < getSetting("itemsPerPage");
}

/** The items of pages; one that moved from one page to another is there once. */
export function joined(pages: readonly StreamPage[]): ItemSummary[] {
  return [...new Map(pages.flatMap((page) => page.items).map((item) => [item.id, item])).values()];
}
