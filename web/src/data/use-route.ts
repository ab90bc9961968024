import { useMemo } from "react";
import {
  useLocationProperty,
  useSearch,
  usePathname as useWholePath,
  navigate as visit,
} from "wouter/use-browser-location";
import { inward, outward } from "./base";
import { parseRoute, type Route, readerPath } from "./routes";
import type { ItemId } from "./types";

export { useSearch };

export function usePathname(): string {
  return inward(useWholePath());
}

/** Goes to a path of the reader. */
export function navigate(path: string, options?: Parameters<typeof visit>[1]): void {
  visit(outward(path), options);
}

export function useRoute(): Route {
  const path = usePathname();
  const search = useSearch();
  return useMemo(() => parseRoute(path, search), [path, search]);
}

/** The route without the open item: the same object while one walks from item to item. */
export function useListRoute<R extends Route>(route: R): R {
  const key =
    route.screen === "reader" ? readerPath(route.stream, route.filter, null, route) : route;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all that is in it
  return useMemo(() => (route.screen === "reader" ? { ...route, item: null } : route), [key]);
}

/** The route of the address as it is now. */
function currentRoute(): Route {
  return parseRoute(inward(location.pathname), location.search);
}

/** The item of the address as it is now. */
export function openItemId(): ItemId | null {
  const route = currentRoute();
  return route.screen === "reader" ? route.item : null;
}

interface HistoryState {
  side?: boolean;
  /** The address in the reader before another screen was opened. */
  from?: string;
  /** The previous entry of the history is this list: an item was opened from it. */
  list?: string;
}

const historyState = () => history.state as HistoryState | null;

/** The drawer (on phones the screen of feeds) is an entry of the history, so that "back" closes it. */
export function useSideOpen(): boolean {
  return useLocationProperty(() => historyState()?.side === true);
}

export function openSide(): void {
  navigate(inward(location.pathname) + location.search, { state: { side: true } });
}

export function closeSide(): void {
  if (historyState()?.side) history.back();
}

/** Pending `history.back()`: other navigation waits for it. */
let leaving: Promise<void> | null = null;

/** Navigates; replaces the drawer in the history, and remembers the address in the reader. */
export function go(path: string): void {
  if (leaving) return void leaving.then(() => go(path));
  const isReader = currentRoute().screen === "reader";
  const from = isReader ? inward(location.pathname) + location.search : historyState()?.from;
  navigate(path, { replace: historyState()?.side === true, state: from ? { from } : null });
}

/** Changes the address of this entry of the history. */
export function goInPlace(path: string): void {
  navigate(path, { replace: true, state: historyState() });
}

/** Opens an item; going from item to item replaces the entry of the history. */
export function showItem(path: string, list: string, isOverItem: boolean): void {
  if (leaving) leaving.then(() => showItem(path, list, false));
  else navigate(path, isOverItem ? { replace: true, state: historyState() } : { state: { list } });
}

/** Goes back from an item to its list without a second entry of the list; a deep link becomes the list. */
export async function leaveItem(list: string): Promise<void> {
  if (!leaving && historyState()?.list !== list) return navigate(list, { replace: true });
  leaving ??= new Promise((done) => {
    addEventListener("popstate", () => done(), { once: true });
    // A full history has dropped its oldest entries.
    setTimeout(done, 2_000);
    history.back();
  });
  await leaving;
  leaving = null;
  if (historyState()?.list === list) navigate(list, { replace: true });
}

/** Where other screens lead back to. */
export function readerPlace(): string {
  return historyState()?.from ?? "/all";
}
