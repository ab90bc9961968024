import { useInfiniteQuery } from "@tanstack/react-query";
import type { components } from "./api.gen";
import { api } from "./client";

export type Run = components["schemas"]["Run"];

const pageSize = 12;

/** What the crawler did, newest first, page by page. */
export function useRuns() {
  return useInfiniteQuery({
    queryKey: ["stats", "runs"],
    queryFn: ({ pageParam, signal }) =>
      api.get("/api/runs", {
        query: { limit: pageSize, ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: (last) => last.nextCursor,
    staleTime: 30_000,
  });
}
