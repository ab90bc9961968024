import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "./client";
import { feedsQuery } from "./feeds";
import { adoptSettings } from "./settings";
import { treeQuery } from "./tree";

/** All that a page begins with, in one request: who is here, settings, folders and labels, the side bar. */
export const meQuery = queryOptions({
  queryKey: ["me"] as const,
  queryFn: async ({ signal, client }) => {
    const { user, version, limits, preferences, tree, ...bar } = await api.get("/api/me", {
      signal,
    });
    adoptSettings(preferences);
    client.setQueryData(treeQuery.queryKey, tree);
    // Never over a side bar that is newer or being asked for.
    if (!client.getQueryState(feedsQuery.queryKey)?.dataUpdatedAt) {
      client.setQueryData(feedsQuery.queryKey, { ...bar, limits });
    }
    return { user, version, limits };
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** Somebody has read here before, and did not sign out (data/outbox.ts keeps the name). */
export function wasSignedIn(): boolean {
  try {
    return localStorage.getItem("ruri.user") !== null;
  } catch {
    return false;
  }
}

export function useMe() {
  return useQuery(meQuery);
}

/** Begins with that request, before anything is drawn: who wants a part of its answer waits for it, and asks nothing. */
export function warmUpMe(client: QueryClient): void {
  const begun = client.fetchQuery(meQuery);
  for (const { queryKey } of [treeQuery, feedsQuery]) {
    void client.prefetchQuery({
      queryKey,
      queryFn: async () => {
        await begun;
        const part = client.getQueryData(queryKey);
        if (!part) throw new Error(`${queryKey} did not come`);
        return part;
      },
    });
  }
}
