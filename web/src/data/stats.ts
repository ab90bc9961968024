import { type QueryClient, useQuery } from "@tanstack/react-query";
import type { components } from "./api.gen";
import { api } from "./client";

export type Stats = components["schemas"]["Stats"];
export type RunDay = components["schemas"]["RunDay"];
export type FailingFeed = components["schemas"]["FailingFeed"];

export const statsKey = ["stats"] as const;

/** The figures of the last days. Asked for when the page opens and when a person asks; never by a timer. */
export function useStats(days: number) {
  return useQuery({
    queryKey: [...statsKey, days],
    queryFn: ({ signal }) => api.get("/api/stats", { query: { days }, signal }),
    staleTime: 30_000,
    placeholderData: (last) => last, // another span takes the place of what is shown when it is there
  });
}

export function askStatsAgain(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: statsKey });
}
