import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";
import type { ItemId } from "./types";

/** The text of the page that an item links to; the server asks for the page on demand only. */
export function fullTextQuery(id: ItemId) {
  return queryOptions({
    queryKey: ["full-text", id],
    queryFn: ({ signal }) => api.get("/api/items/{id}/full-text", { path: { id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    // Each attempt may be a request to a foreign site.
    retry: false,
  });
}
