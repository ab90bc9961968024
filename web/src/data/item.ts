import { QueryObserver, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useSyncExternalStore } from "react";
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

/**
 * The open item, or how its request stands. With an observer for each item: useQuery takes the next one into its own only
 * after the render, and then everything renders again.
 */
export function useItemIfOpen(id: ItemId | null): Item | "pending" | "error" | null {
  const client = useQueryClient();
  const observer = useMemo(
    () =>
      id === null
        ? null
        : new QueryObserver<Item, Error, Item, Item, string[]>(client, itemQuery(id)),
    [client, id],
  );
  const subscribe = useCallback(
    (listener: () => void) => observer?.subscribe(listener) ?? (() => undefined),
    [observer],
  );
  return useSyncExternalStore(subscribe, () => {
    const { data, status } = observer?.getCurrentResult() ?? {};
    return data ?? (status === "pending" || status === "error" ? status : null);
  });
}
