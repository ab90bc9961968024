import { useQuery } from "@tanstack/react-query";
import type { paths } from "./api.gen";
import { api } from "./client";
import type { FeedId } from "./types";

type Answer =
  paths["/api/feeds/{id}/fetches"]["get"]["responses"][200]["content"]["application/json"];
export type Fetch = Answer["fetches"][number];

export function fetchesKey(id: FeedId) {
  return ["fetches", id] as const;
}

/** The results of the feed's last fetches and, for the owner of a stack, its cost. */
export function useFetches(id: FeedId) {
  return useQuery({
    queryKey: fetchesKey(id),
    queryFn: ({ signal }) => api.get("/api/feeds/{id}/fetches", { path: { id }, signal }),
    staleTime: 30_000,
  });
}
