import { QueryClient } from "@tanstack/react-query";
import { toApiError } from "@/data/api-error";
import { dropBegun } from "@/data/begun";
import { itemQuery } from "@/data/item";
import { hasWaiting, openOutbox } from "@/data/item-state";
import { warmUpMe } from "@/data/me";
import { parseRoute } from "@/data/routes";
import { getSetting } from "@/data/settings";
import { streamQuery } from "@/data/stream";

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // Asked also without a network: the device may know the answer (data/offline).
        networkMode: "always",
        // Refusals stay refusals; only what may pass by itself is tried again.
        retry: (count, error) => {
          const { status } = toApiError(error);
          return count < 2 && (status === 0 ? navigator.onLine : status >= 502);
        },
        retryDelay: (count) => 400 * 2 ** count,
      },
    },
  });
}

/**
 * Starts the requests of the first screen before the first render, or takes them over: the page's first lines ask for
 * the same (index.html).
 */
export function warmUp(client: QueryClient): void {
  if (hasWaiting()) void openOutbox(client).catch(() => undefined);
  warmUpRoute(client);
  dropBegun();
}

function warmUpRoute(client: QueryClient): void {
  const route = parseRoute(location.pathname, location.search);
  if (route.screen !== "reader" && route.screen !== "home") return;
  warmUpMe(client);
  if (route.screen === "reader") {
    const order = route.order ?? getSetting("order");
    void client.prefetchInfiniteQuery(streamQuery(route.stream, route.filter, order));
    if (route.item) void client.prefetchQuery(itemQuery(route.item));
  }
}
