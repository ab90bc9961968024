import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api } from "./client";
import type { ReaderRoute, Search } from "./routes";
import type { Filter, SavedSearch } from "./types";

/** The person's saved searches, in order. The first ones come with GET /api/me (me.ts). */
export const searchesQuery = queryOptions({
  queryKey: ["searches"] as const,
  queryFn: async ({ signal }): Promise<readonly SavedSearch[]> =>
    (await api.get("/api/searches", { signal })).searches,
  staleTime: Number.POSITIVE_INFINITY,
});

const none: readonly SavedSearch[] = [];

/** The saved searches; none while they are loading. */
export function useSearches(): readonly SavedSearch[] {
  // They come with GET /api/me; changes put the new ones here.
  return useQuery({ ...searchesQuery, refetchOnMount: false }).data ?? none;
}

export type Searched = Search & { filter: Filter };

export function searchedIn({ q, feed, folder, filter, sort }: SavedSearch): Searched {
  const place = feed ? `f${feed}` : folder ? `d${folder}` : "";
  return { q, in: place, from: "", to: "", sort, filter: filter === "hidden" ? "all" : filter };
}

/** What a list searches for; null where it is no search, or a saved one that is not known. */
export function useSearched({ stream, filter }: ReaderRoute): Searched | null {
  const searches = useSearches();
  return useMemo(() => {
    if (stream.kind === "search") return { ...stream, filter };
    const saved = stream.kind === "saved" && searches.find((one) => one.id === stream.id);
    return saved ? searchedIn(saved) : null;
  }, [stream, filter, searches]);
}
