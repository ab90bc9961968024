import { useQueryClient } from "@tanstack/react-query";
import { type SyntheticEvent, useEffect, useRef } from "react";
import { inward } from "@/data/base";
import { isSearch, parseRoute } from "@/data/routes";
import { getSetting } from "@/data/settings";
import { streamQuery } from "@/data/stream";

/** Milliseconds of pointer or focus on a link before its list is loaded. */
const delay = 80;

/** Loads a list that is about to be opened; not when the browser saves data. */
export function usePrefetch() {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const start = (event: SyntheticEvent) => {
    clearTimeout(timer.current);
    const link = (event.target as Element).closest<HTMLAnchorElement>("a.side-link");
    const saves = (navigator as { connection?: { saveData?: boolean } }).connection?.saveData;
    if (!link || saves) return;
    timer.current = setTimeout(() => {
      const route = parseRoute(inward(link.pathname), link.search);
      // A filter is a snapshot of the moment it is opened.
      if (route.screen !== "reader" || route.filter !== "all" || route.stream.kind === "starred")
        return;
      // A search is work for the server.
      if (isSearch(route.stream)) return;
      const order = route.order ?? getSetting("order");
      void client.prefetchInfiniteQuery(streamQuery(route.stream, route.filter, order));
    }, delay);
  };
  const stop = () => clearTimeout(timer.current);
  return { onPointerOver: start, onPointerLeave: stop, onFocusCapture: start };
}
