import type { QueryClient } from "@tanstack/react-query";
import { withAddresses } from "../feed-address";
import type { Feed } from "../types";
import { knownFolders } from "./folders";
import { resubscribe } from "./resubscribe";
import { changeSubscriptions, type Refusal } from "./subscriptions";

export interface Unsubscribed {
  /** What was refused, which is shown again. Rejects when nothing could be sent. */
  done: Promise<Refusal[]>;
  /** Subscribes again, with all settings. */
  undo: () => Promise<void>;
}

/** Unsubscribes from feeds; they are gone from the page at once. */
export function unsubscribe(client: QueryClient, feeds: readonly Feed[]): Unsubscribed {
  const changes = feeds.map(({ id }) => ({ id, unsubscribe: true }));
  const withUrls = withAddresses(feeds);
  const send = () => changeSubscriptions(client, changes, knownFolders(client));
  const done = withUrls instanceof Promise ? withUrls.then(send) : send();
  return {
    done,
    undo: async () => {
      const refused = new Set((await done).map(({ id }) => id));
      const left = (await withUrls).filter(({ id }) => !refused.has(id));
      await resubscribe(client, left, knownFolders(client));
    },
  };
}
