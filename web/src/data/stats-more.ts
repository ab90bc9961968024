import { useQuery } from "@tanstack/react-query";
import type { components } from "./api.gen";
import { api } from "./client";
import { statsKey } from "./stats";

export type ReadingStats = components["schemas"]["ReadingStats"];
export type ProjectedCost = components["schemas"]["ProjectedCost"];

/** What the person read, by day and by feed. */
export function useReadingStats(days: number) {
  return useQuery({
    queryKey: [...statsKey, "reading", days],
    queryFn: ({ signal }) => api.get("/api/stats/reading", { query: { days }, signal }),
    staleTime: 30_000,
    placeholderData: (last) => last,
  });
}

/** A month's bill in the cloud. It follows from whole days, so it changes but once a day. */
export function useProjectedCost(region: string) {
  return useQuery({
    queryKey: [...statsKey, "cost", region],
    queryFn: ({ signal }) => api.get("/api/stats/cost", { query: { region }, signal }),
    staleTime: 60 * 60_000,
    placeholderData: (last) => last,
  });
}
