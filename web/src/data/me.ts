import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "./client";
import { readStored } from "./device-storage";
import { feedsQuery, noteAnswered } from "./feeds";
import { searchesQuery } from "./searches";
import { adoptSettings } from "./settings";
import { adoptStopped } from "./stopped";
import { treeQuery } from "./tree";

/** What a page starts with, in one request: user, settings, folders and labels, side bar. */
export const meQuery = queryOptions({
  queryKey: ["me"] as const,
  queryFn: async ({ signal, client }) => {
    const answer = await api.get("/api/me", { signal });
    const { user, version, limits, preferences, tree, since, search, searches, ...rest } = answer;
    const { needsPassword, bookmarkCounts, assist, places, ...bar } = rest;
    adoptSettings(preferences);
    adoptStopped(places ?? [], user.id);
    client.setQueryData(treeQuery.queryKey, tree);
    // An old copy for reading offline has none.
    client.setQueryData(searchesQuery.queryKey, searches ?? []);
    // Never over newer counts.
    if (!client.getQueryState(feedsQuery.queryKey)?.dataUpdatedAt) {
      client.setQueryData(feedsQuery.queryKey, noteAnswered(client, { ...bar, limits }, since));
    }
    return { user, needsPassword, version, limits, search, bookmarkCounts, assist };
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** Whether somebody was signed in here and did not sign out (mutations/outbox.ts stores the id). */
export function wasSignedIn(): boolean {
  return readStored("ruri.user") !== null;
}

export function useMe() {
  return useQuery(meQuery);
}

/** Sends that request before anything is rendered; queries for parts of its answer wait for it. */
export function warmUpMe(client: QueryClient): void {
  const request = client.fetchQuery(meQuery);
  for (const { queryKey } of [treeQuery, feedsQuery, searchesQuery]) {
    void client.prefetchQuery({
      queryKey,
      queryFn: async () => {
        await request;
        const part = client.getQueryData(queryKey);
        if (!part) throw new Error(`${queryKey} did not come`);
        return part;
      },
    });
  }
}
