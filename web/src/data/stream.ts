import { infiniteQueryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api } from "./client";
import { flags } from "./flags";
import type { Stream } from "./routes";
import type { Filter, ItemSummary } from "./types";

const pageSize = 50;

export const streamsKey = ["stream"] as const;

export function streamKey(stream: Stream, filter: Filter): string {
  return `${stream.kind === "feed" ? `feed:${stream.id}` : stream.kind}|${filter}`;
}

interface StreamPage {
  items: ItemSummary[];
  nextCursor: string | null;
}

async function loadPage(
  stream: Stream,
  filter: Filter,
  cursor: string | null,
  signal: AbortSignal,
): Promise<StreamPage> {
  const askedAt = performance.now();
  const query = {
    limit: pageSize,
    ...(filter === "all" ? {} : { filter }),
    ...(cursor === null ? {} : { cursor }),
  };
  const page: StreamPage =
    stream.kind === "feed"
      ? await api.get("/api/feeds/{id}/items", { path: { id: stream.id }, query, signal })
      : await api.get("/api/items", { query, signal });
  flags.absorb(page.items, askedAt);
  return { items: page.items, nextCursor: page.nextCursor };
}

export function streamQuery(stream: Stream, filter: Filter) {
  const asked: Filter = stream.kind === "starred" ? "starred" : filter;
  return infiniteQueryOptions({
    queryKey: [...streamsKey, streamKey(stream, filter)],
    queryFn: ({ pageParam, signal }) => loadPage(stream, asked, pageParam, signal),
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

export function useStream(stream: Stream, filter: Filter) {
  const query = useInfiniteQuery(streamQuery(stream, filter));
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
