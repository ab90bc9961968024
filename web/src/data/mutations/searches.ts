import type { QueryClient } from "@tanstack/react-query";
import { api, rememberAnswer } from "../client";
import { createQueue } from "../request-queue";
import { type Searched, searchesQuery } from "../searches";
import { getSetting } from "../settings";
import type { SavedSearch, SearchId } from "../types";

/** One change after the other: all saved searches are one document. */
const enqueue = createQueue();

function apply(client: QueryClient, searches: readonly SavedSearch[]): void {
  client.setQueryData(searchesQuery.queryKey, searches);
  rememberAnswer("/api/searches", { searches });
}

export function savedSearches(client: QueryClient): readonly SavedSearch[] {
  return client.getQueryData(searchesQuery.queryKey) ?? [];
}

/** Saves a search and returns its id. */
export function createSearch(
  client: QueryClient,
  { name, q, in: place, filter, sort }: Searched & { name: string },
): Promise<SearchId> {
  const body = {
    name,
    q,
    feed: place.startsWith("f") ? place.slice(1) : null,
    folder: place.startsWith("d") ? place.slice(1) : null,
    filter,
    sort,
    kana: getSetting("searchKana") ? ("fold" as const) : ("exact" as const),
  };
  return enqueue(async () => {
    const { id, searches } = await api.post("/api/searches", { body });
    apply(client, searches);
    return id;
  });
}

export function renameSearch(client: QueryClient, id: SearchId, name: string): Promise<void> {
  return enqueue(async () => {
    const { id: _, ...rest } = savedSearches(client).find((one) => one.id === id) as SavedSearch;
    const body = { ...rest, name };
    const { searches } = await api.put("/api/searches/{id}", { path: { id }, body });
    apply(client, searches);
  });
}

/** Shows the new order at once. */
export async function orderSearches(client: QueryClient, ids: readonly SearchId[]): Promise<void> {
  const before = savedSearches(client);
  apply(
    client,
    ids.flatMap((id) => before.find((one) => one.id === id) ?? []),
  );
  try {
    await enqueue(async () => {
      const { searches } = await api.put("/api/searches/order", { body: { ids: [...ids] } });
      apply(client, searches);
    });
  } catch (cause) {
    apply(client, before);
    throw cause;
  }
}

/** Deletes a saved search. Returns a function that saves it again, in its position. */
export function deleteSearch(client: QueryClient, id: SearchId): Promise<() => Promise<void>> {
  return enqueue(async () => {
    const before = savedSearches(client);
    const { searches } = await api.delete("/api/searches/{id}", { path: { id } });
    apply(client, searches);
    return async () => {
      const gone = before.find((one) => one.id === id);
      if (!gone) return;
      const { id: _, ...body } = gone;
      const added = await api.post("/api/searches", { body });
      apply(client, added.searches);
      await orderSearches(
        client,
        before.map((one) => (one.id === id ? added.id : one.id)),
      );
    };
  });
}
