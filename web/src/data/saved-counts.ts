import { queryOptions, useQuery } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { flags } from "./flags";
import { createQueue } from "./request-queue";
import { joined, listsKey, loadPage, type StreamPage } from "./stream";
import type { ItemSummary, SavedSearch } from "./types";

/** The server allows thirty searches a minute, which the person needs too. */
export const mostCounted = 10;
/** Counted up to here; what is above shows as "99+". */
const mostItems = 99;
const checkedAfter = 15 * 60_000;
/** After this long all is counted again: other devices may have marked something. */
const wholeAfter = 60 * 60_000;

interface Counted {
  /** One page, in the form of a list, so that marking a list as read finds its items. */
  pages: StreamPage[];
  wholeAt: number;
}

const enqueue = createQueue();

/** The unread items of a saved search. Nobody waits for them. */
function countQuery({ id, q, filter }: SavedSearch) {
  return queryOptions({
    queryKey: [...listsKey, `count:${id}`, q, filter] as const,
    queryFn: ({ client, queryKey, signal }): Promise<Counted> =>
      enqueue(() => load(client.getQueryData(queryKey), id, signal)),
    staleTime: checkedAfter,
    refetchInterval: checkedAfter,
    retry: false,
  });
}

async function load(
  last: Counted | undefined,
  id: SavedSearch["id"],
  signal: AbortSignal,
): Promise<Counted> {
  signal.throwIfAborted();
  const before = last?.pages[0];
  const isRecent = last !== undefined && Date.now() - last.wholeAt < wholeAfter;
  // Only what came since costs almost nothing; but what follows after 99 items is known to a whole search alone.
  const since = isRecent && before?.nextCursor === null ? before.asOf : null;
  const page = await loadPage({ kind: "saved", id }, "unread", "new", {
    limit: mostItems,
    background: true,
    since,
    signal,
  });
  if (!last || !before || since === null) return { pages: [page], wholeAt: Date.now() };
  return { ...last, pages: [{ ...page, items: joined([page, before]) }] };
}

const none: ItemSummary[] = [];

/** How many unread articles a saved search has: undefined while it is not known, or where nobody sees it. */
export function useSavedCount(
  search: SavedSearch,
  isShown: boolean,
): { count: number; hasMore: boolean } | undefined {
  // Stars and hidden articles are not there to be read one after the other.
  const isCounted = search.filter === "all" || search.filter === "unread";
  const { data } = useQuery({ ...countQuery(search), enabled: isShown && isCounted });
  const page = data?.pages[0];
  const items = page?.items ?? none;
  const subscribe = useCallback(
    (listener: () => void) => {
      const ends = items.map(({ id }) => flags.subscribe(id, listener));
      return () => {
        for (const end of ends) end();
      };
    },
    [items],
  );
  const count = useSyncExternalStore(
    subscribe,
    () => items.filter((item) => !flags.read(item).isRead).length,
  );
  return page && { count, hasMore: page.nextCursor !== null };
}
