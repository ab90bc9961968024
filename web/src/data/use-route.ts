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
}

/** The drawer (on phones the screen of feeds) is an entry of the history, so that "back" closes it. */
export function useSideOpen(): boolean {
  return (useHistoryState() as HistoryState | null)?.side === true;
}

export function openSide(): void {
  navigate(location.pathname + location.search, { state: { side: true } });
}

export function closeSide(): void {
  if ((history.state as HistoryState | null)?.side) history.back();
}

/** Goes on from the drawer without leaving it in the history. */
export function go(path: string): void {
  navigate(path, { replace: (history.state as HistoryState | null)?.side === true });
}
