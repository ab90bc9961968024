import { QueryClient } from "@tanstack/react-query";
import { toApiError } from "@/data/api-error";
import { inward } from "@/data/base";
import { dropEarlyResponses } from "@/data/early-requests";
import { itemQuery } from "@/data/item";
import { hasPending, openOutbox } from "@/data/item-state";
import { warmUpMe } from "@/data/me";
import { parseRoute } from "@/data/routes";
import { getSetting } from "@/data/settings";
import { streamQuery } from "@/data/stream";

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // Also offline: the device may have the answer (data/offline).
        networkMode: "always",
        // Only failures that may pass are tried again.
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
 * Starts the requests of the first screen before the first render, or takes over those that the first lines of index.html
 * have sent.
 */
export function warmUp(client: QueryClient): void {
  if (hasPending()) void openOutbox(client).catch(() => undefined);
  warmUpRoute(client);
  dropEarlyResponses();
}

function warmUpRoute(client: QueryClient): void {
  const route = parseRoute(inward(location.pathname), location.search);
  if (route.screen !== "reader") return;
  warmUpMe(client);
  const order = route.order ?? getSetting("order");
  void client.prefetchInfiniteQuery(streamQuery(route.stream, route.filter, order));
  if (route.item) void client.prefetchQuery(itemQuery(route.item));
}
