import type { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error";
import { withAddresses } from "./feed-address";
import { knownFolders } from "./folders";
import { resubscribe } from "./resubscribe";
import { changeSubscriptions } from "./subscriptions";
import type { Feed } from "./types";

export interface Left {
  /** Rejects when the server refuses; then the feed is shown again. */
  done: Promise<void>;
  /** Comes back with all that was set for the feed. */
  undo: () => Promise<void>;
}

/** Unsubscribes, at once for the eye, wherever on the page that is done. */
export function leaveFeed(client: QueryClient, feed: Feed): Left {
  const whole = withAddresses([feed]);
  const leave = async () => {
    if (whole instanceof Promise) await whole;
    const [refusal] = await changeSubscriptions(
      client,
      [{ id: feed.id, unsubscribe: true }],
      knownFolders(client),
    );
    if (refusal) throw new ApiError(409, refusal);
  };
  const done = leave();
  return {
    done,
    undo: async () => {
      await done;
      await resubscribe(client, await whole, knownFolders(client));
    },
  };
}
