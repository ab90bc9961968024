import { type QueryClient, useQuery } from "@tanstack/react-query";
import type { components } from "./api.gen";
import { api } from "./client";

export type Stats = components["schemas"]["Stats"];
export type RunDay = components["schemas"]["RunDay"];
export type PopularUse = components["schemas"]["PopularUse"];
export type ProjectedCost = components["schemas"]["ProjectedCost"];

const statsKey = ["stats"] as const;

/** The figures of the last days. Never refetched by a timer. */
export function useStats(days: number) {
  return useQuery({
    queryKey: [...statsKey, days],
    queryFn: ({ signal }) => api.get("/api/stats", { query: { days }, signal }),
    staleTime: 30_000,
    placeholderData: (last) => last, // shown until those of another span are loaded
  });
}

export function refetchStats(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: statsKey });
}

/** What was clicked, opened and searched for most. */
export function usePopularUse(period: "week" | "month") {
  return useQuery({
    queryKey: [...statsKey, "popular", period],
    queryFn: ({ signal }) => api.get("/api/stats/popular", { query: { period }, signal }),
    staleTime: 30_000,
    placeholderData: (last) => last,
  });
}

/** The projected bill of a month in the cloud, from whole days: it changes once a day. */
export function useProjectedCost(region: string) {
  return useQuery({
    queryKey: [...statsKey, "cost", region],
    queryFn: ({ signal }) => api.get("/api/stats/cost", { query: { region }, signal }),
    staleTime: 60 * 60_000,
    placeholderData: (last) => last,
  });
}
