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
  /** The entry below is this list: an item was opened from it. */
  list?: string;
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

/** The way back to a list, while the browser is on it: whatever else leads on waits for its end. */
let leaving: Promise<void> | null = null;

/** Goes on from the drawer without leaving it in the history. The entry keeps where in the reader one was. */
export function go(path: string): void {
  if (leaving) return void leaving.then(() => go(path));
  const { pathname, search } = location;
  const isReader = parseRoute(pathname, search).screen === "reader";
  const from = isReader ? pathname + search : historyState()?.from;
  navigate(path, { replace: historyState()?.side === true, state: from ? { from } : null });
}

/** Shows an item over its list. Walking from item to item is one step of the history, not a hundred. */
export function showItem(path: string, list: string, isOverItem: boolean): void {
  if (leaving) leaving.then(() => showItem(path, list, false));
  else navigate(path, isOverItem ? { replace: true, state: historyState() } : { state: { list } });
}

/** Goes back from an item to its list, so that no second entry of the list is left; a deep link becomes the list. */
export async function leaveItem(list: string): Promise<void> {
  if (!leaving && historyState()?.list !== list) return navigate(list, { replace: true });
  leaving ??= new Promise((done) => {
    addEventListener("popstate", () => done(), { once: true });
    // A history that is full has forgotten its oldest entries.
    setTimeout(done, 2_000);
    history.back();
  });
  await leaving;
  leaving = null;
  if (historyState()?.list === list) navigate(list, { replace: true });
}

/** Where what stands beside the reader leads back to. */
export function readerPlace(): string {
  return historyState()?.from ?? "/all";
}
