import { useMemo } from "react";
import { navigate, useHistoryState, usePathname, useSearch } from "wouter/use-browser-location";
import { parseRoute, type Route } from "./routes";

export { navigate };

export function useRoute(): Route {
  const path = usePathname();
  const search = useSearch();
  return useMemo(() => parseRoute(path, search), [path, search]);
}

interface HistoryState {
  side?: boolean;
  /** Where in the reader the person was before they went beside it. */
  from?: string;
}

const historyState = () => history.state as HistoryState | null;

/** The drawer (on phones the screen of feeds) is an entry of the history, so that "back" closes it. */
export function useSideOpen(): boolean {
  return (useHistoryState() as HistoryState | null)?.side === true;
}

export function openSide(): void {
  navigate(location.pathname + location.search, { state: { side: true } });
}

export function closeSide(): void {
  if (historyState()?.side) history.back();
}

/** Goes on from the drawer without leaving it in the history. The entry keeps where in the reader one was. */
export function go(path: string): void {
  const { pathname, search } = location;
  const isReader = parseRoute(pathname, search).screen === "reader";
  const from = isReader ? pathname + search : historyState()?.from;
  navigate(path, { replace: historyState()?.side === true, state: from ? { from } : null });
}

/** Where what stands beside the reader leads back to. */
export function readerPlace(): string {
  return historyState()?.from ?? "/all";
}
