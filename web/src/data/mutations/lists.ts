import type { QueryClient } from "@tanstack/react-query";
import { feedsKey } from "../feeds";
import { type Stream, streamName } from "../routes";
import { joined, listsKey, type StreamPage, streamsKey } from "../stream";
import type { ItemSummary } from "../types";

/** Marks feeds and lists as outdated, after a change of subscriptions. */
export function refetchContent(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: feedsKey });
  void client.invalidateQueries({ queryKey: streamsKey });
}

/** Reloads lists that contain something which must no longer be seen; the list of what is `gone` is not loaded. */
export function forgetLists(client: QueryClient, gone?: Stream): Promise<void> {
  client.removeQueries({ queryKey: listsKey, type: "inactive" });
  client.removeQueries({ queryKey: streamsKey, type: "inactive" });
  const isGone = (key: unknown) =>
    gone !== undefined && String(key).startsWith(`${streamName(gone)}|`);
  return client.invalidateQueries({
    queryKey: listsKey,
    predicate: ({ queryKey }) => !isGone(queryKey[1]),
  });
}

/** The items of all loaded lists; with `until`, of pages that were loaded by then. */
export function loadedItems(client: QueryClient, until = Number.POSITIVE_INFINITY): ItemSummary[] {
  const pages = client
    .getQueriesData<{ pages: StreamPage[] }>({ queryKey: listsKey })
    .flatMap(([, data]) => data?.pages ?? []);
  return joined(pages.filter(({ loadedAt }) => loadedAt <= until));
}
