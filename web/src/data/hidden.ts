import { type InfiniteData, type QueryClient, useInfiniteQuery } from "@tanstack/react-query";
import { api } from "./client";
import { applyCounts } from "./mutations/loaded-feeds";
import { type HiddenItem, hiddenKey } from "./rules";
import { streamsKey } from "./stream";
import type { ItemId } from "./types";

interface Page {
  items: HiddenItem[];
  nextCursor: string | null;
}

/** The items that rules hid, the newest first. */
export function useHidden() {
  return useInfiniteQuery({
    queryKey: hiddenKey,
    queryFn: ({ pageParam, signal }): Promise<Page> =>
      api.get("/api/rules/hidden", {
        query: { limit: 20, ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    staleTime: 30_000,
  });
}

/** Shows a hidden item again: it is unread, and no rule hides it any more. */
export async function showHidden(client: QueryClient, id: ItemId): Promise<void> {
  const before = client.getQueryData<InfiniteData<Page>>(hiddenKey);
  client.setQueryData<InfiniteData<Page>>(hiddenKey, (old) =>
    old
      ? {
          ...old,
          pages: old.pages.map((page) => ({
            ...page,
            items: page.items.filter(({ item }) => item.id !== id),
          })),
        }
      : old,
  );
  try {
    const { feed, totals } = await api.post("/api/rules/hidden/{id}/show", { path: { id } });
    applyCounts(client, feed ? [feed] : [], totals);
    void client.invalidateQueries({ queryKey: streamsKey });
  } catch (cause) {
    client.setQueryData(hiddenKey, before);
    throw cause;
  }
}
