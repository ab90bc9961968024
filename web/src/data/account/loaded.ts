import type { DataTag, QueryClient, QueryKey } from "@tanstack/react-query";

/**
 * Changes loaded data as the server has changed it. An answer that is on its way may be older than the change: it is
 * dropped, and the server is asked again.
 */
export async function updateLoaded<T>(
  client: QueryClient,
  { queryKey }: { queryKey: DataTag<QueryKey, T, Error> },
  change: (loaded: T) => T,
): Promise<void> {
  const filter = { queryKey, exact: true };
  const isAsked = client.isFetching(filter) > 0;
  if (isAsked) await client.cancelQueries(filter);
  client.setQueryData<T>(queryKey, (loaded) => loaded && change(loaded));
  if (isAsked) void client.invalidateQueries(filter);
}
