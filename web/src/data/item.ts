import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "./client";
import { flags } from "./flags";
import type { Item, ItemId } from "./types";

export function itemQuery(id: ItemId) {
  return queryOptions({
    queryKey: ["item", id],
    queryFn: async ({ signal }) => {
      const askedAt = performance.now();
      const { item } = await api.get("/api/items/{id}", { path: { id }, signal });
      flags.absorb([item], askedAt);
      return item;
    },
    staleTime: 30 * 60_000,
    refetchOnWindowFocus: false,
  });
}

export function useItem(id: ItemId) {
  return useQuery(itemQuery(id));
}

/** An item that is loaded; never requests it, which would repeat a request that was refused. */
export function useKnownItem(id: ItemId): Item | undefined {
  return useQuery({ ...itemQuery(id), enabled: false }).data;
}

export function useItemIfOpen(id: ItemId | null) {
  return useQuery({ ...itemQuery(id ?? ""), enabled: id !== null });
}
