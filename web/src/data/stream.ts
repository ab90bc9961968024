import { infiniteQueryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api } from "./client";
import { flags } from "./flags";
import { type Stream, streamName } from "./routes";
import type { Filter, ItemSummary, Order } from "./types";

const pageSize = 50;

export const streamsKey = ["stream"] as const;

export function streamKey(stream: Stream, filter: Filter, order: Order = "new"): string {
  return `${streamName(stream)}|${filter}${order === "old" ? "|old" : ""}`;
}

interface StreamPage {
  items: ItemSummary[];
  nextCursor: string | null;
}

/** One page, from the server. */
export async function loadPage(
  stream: Stream,
  filter: Filter,
  order: Order,
  cursor: string | null,
  signal: AbortSignal,
): Promise<StreamPage> {
  const askedAt = performance.now();
  const query = {
    limit: pageSize,
    ...(filter === "all" ? {} : { filter }),
    ...(order === "old" ? { order: "oldest" as const } : {}),
    ...(stream.kind === "folder" || stream.kind === "label" ? { [stream.kind]: stream.id } : {}),
    ...(cursor === null ? {} : { cursor }),
  };
  const page: StreamPage =
    stream.kind === "feed"
      ? await api.get("/api/feeds/{id}/items", { path: { id: stream.id }, query, signal })
      : await api.get("/api/items", { query, signal });
  flags.absorb(page.items, askedAt);
  return { items: page.items, nextCursor: page.nextCursor };
}

export function streamQuery(stream: Stream, filter: Filter, order: Order = "new") {
  const asked: Filter = stream.kind === "starred" ? "starred" : filter;
  return infiniteQueryOptions({
    queryKey: [...streamsKey, streamKey(stream, filter, order)],
    queryFn: ({ pageParam, signal }) => loadPage(stream, asked, order, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    staleTime: 5 * 60_000,
    // A filter is a snapshot: rows that stop matching stay until the stream is opened anew, and then
    // nothing of the old list is left.
    ...(asked === "all" ? {} : { gcTime: 0 }),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

export function useStream(stream: Stream, filter: Filter, order: Order = "new") {
  const query = useInfiniteQuery(streamQuery(stream, filter, order));
  const pages = query.data?.pages;
  const items = useMemo(() => {
    // An item that moved between two pages must not appear twice.
    const seen = new Set<string>();
    const all: ItemSummary[] = [];
    for (const page of pages ?? []) {
      for (const item of page.items) {
        if (seen.has(item.id)) continue;
        seen.add(item.id);
        all.push(item);
      }
    }
    return all;
  }, [pages]);
  return { ...query, items };
}
