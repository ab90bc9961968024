import { infiniteQueryOptions, type QueryClient, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api } from "./client";
import { flags } from "./flags";
import { type Stream, streamName } from "./routes";
import { getSetting } from "./settings";
import type { Filter, ItemSummary, Order } from "./types";

/** The lists as they were opened: nothing takes their place but opening them anew. */
const listsKey = ["list"] as const;
/** What the server would answer for them now (news.ts). Who changes what streams hold invalidates this. */
export const streamsKey = ["stream"] as const;

export function streamKey(stream: Stream, filter: Filter, order: Order = "new"): string {
  return `${streamName(stream)}|${filter}${order === "old" ? "|old" : ""}`;
}

export interface StreamPage {
  items: ItemSummary[];
  nextCursor: string | null;
  /** What the list shows of each feed, for marking it read; with the first page of streams that can be. */
  asOf: string | null;
  loadedAt: number;
}

interface Asked {
  cursor?: string | null;
  limit?: number;
  anew?: boolean;
  signal?: AbortSignal | undefined;
}

/** One page, from the server. */
export async function loadPage(
  stream: Stream,
  of: Filter,
  order: Order,
  { cursor = null, limit = getSetting("itemsPerPage"), anew = false, signal }: Asked,
): Promise<StreamPage> {
  const askedAt = performance.now();
  const filter = stream.kind === "starred" ? "starred" : of;
  const query = {
    limit,
    ...(filter === "all" ? {} : { filter }),
    ...(order === "old" ? { order: "oldest" as const } : {}),
    ...(stream.kind === "folder" || stream.kind === "label" ? { [stream.kind]: stream.id } : {}),
    ...(cursor === null ? {} : { cursor }),
  };
  const how = { query, anew, ...(signal ? { signal } : {}) };
  const { items, nextCursor, asOf } =
    stream.kind === "feed"
      ? await api.get("/api/feeds/{id}/items", { path: { id: stream.id }, ...how })
      : await api.get("/api/items", how);
  flags.absorb(items, askedAt);
  // A list made of what this device keeps has none.
  return { items, nextCursor, asOf: asOf || null, loadedAt: Date.now() };
}

export function streamQuery(stream: Stream, filter: Filter, order: Order = "new") {
  return infiniteQueryOptions({
    queryKey: [...listsKey, streamKey(stream, filter, order)],
    queryFn: ({ pageParam, signal }) =>
      loadPage(stream, filter, order, { cursor: pageParam, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    // Nothing moves under the reader's eyes: what is new waits behind the pill (news.ts).
    staleTime: Number.POSITIVE_INFINITY,
    // A filter is a snapshot: rows that stop matching stay until the stream is opened anew, and then
    // nothing of the old list is left.
    ...(hasOwnOrder(stream) || filter !== "all" ? { gcTime: 0 } : {}),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

/** Stars and labels are the person's own: what is in them changes by their hand. */
export function hasOwnOrder({ kind }: Stream): boolean {
  return kind === "starred" || kind === "label";
}

/** Something has gone from the lists that must not be seen in them any more. The list of a feed that is gone is not asked for. */
export function forgetLists(client: QueryClient, gone?: Stream): Promise<void> {
  client.removeQueries({ queryKey: listsKey, type: "inactive" });
  client.removeQueries({ queryKey: streamsKey, type: "inactive" });
  const isGone = (key: unknown) =>
    gone !== undefined && String(key).startsWith(`${streamName(gone)}|`);
  return client.invalidateQueries({
    queryKey: listsKey,
    predicate: ({ queryKey }) => !isGone(queryKey[1]),
  });
}

/** The items of all lists that are loaded; of those pages alone that had come by then, where a time is given. */
export function loadedItems(client: QueryClient, until = Number.POSITIVE_INFINITY): ItemSummary[] {
  const pages = client
    .getQueriesData<{ pages: StreamPage[] }>({ queryKey: listsKey })
    .flatMap(([, data]) => data?.pages ?? []);
  return joined(pages.filter(({ loadedAt }) => loadedAt <= until));
}

export function useStream(stream: Stream, filter: Filter, order: Order = "new") {
  const query = useInfiniteQuery(streamQuery(stream, filter, order));
  const pages = query.data?.pages;
  const items = useMemo(() => joined(pages ?? []), [pages]);
  return { ...query, items, asOf: pages?.[0]?.asOf ?? null };
}

/** An item that moved between two pages must not appear twice. */
export function joined(pages: readonly StreamPage[]): ItemSummary[] {
  return [...new Map(pages.flatMap((page) => page.items).map((item) => [item.id, item])).values()];
}
