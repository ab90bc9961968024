import type { QueryClient } from "@tanstack/react-query";
import { api } from "../client";
import { withAddresses } from "../feed-address";
import { feedsKey } from "../feeds";
import type { Feed } from "../types";
import { knownFolders } from "./folders";
import { resubscribe } from "./resubscribe";
import { changeSubscriptions, type Refusal } from "./subscriptions";

interface Unsubscribed {
  /** What was refused, which is shown again. Rejects when nothing could be sent. */
  done: Promise<Refusal[]>;
  /** Subscribes again, with all settings. */
  undo: () => Promise<void>;
}

/** Unsubscribes from feeds; they are gone from the page at once. */
export function unsubscribe(client: QueryClient, feeds: readonly Feed[]): Unsubscribed {
  const changes = feeds.map(({ id }) => ({ id, unsubscribe: true }));
  const withUrls = withAddresses(feeds.filter((feed) => !feed.isWatch));
  const watches = watchesOf(feeds.filter((feed) => feed.isWatch));
  const send = () => changeSubscriptions(client, changes, knownFolders(client));
  const isLate = withUrls instanceof Promise || watches instanceof Promise;
  const done = isLate ? Promise.all([withUrls, watches]).then(send) : send();
  return {
    done,
    undo: async () => {
      const refused = new Set((await done).map(({ id }) => id));
      const left = (await withUrls).filter(({ id }) => !refused.has(id));
      if (left.length > 0) await resubscribe(client, left, knownFolders(client));
      const back = (await watches).filter(({ id }) => !refused.has(id));
      for (const { id, body } of back) await api.put("/api/watches/{id}", { path: { id }, body });
      if (back.length > 0) void client.invalidateQueries({ queryKey: feedsKey });
    },
  };
}

/** What takes the watches of feeds back: no list of addresses can. */
function watchesOf(feeds: readonly Feed[]) {
  if (feeds.length === 0) return [];
  return Promise.all(
    feeds.map(async ({ id, folders }) => {
      const { watch } = await api.get("/api/watches/{id}", { path: { id } });
      return { id, body: { interval: watch.interval, folderIds: folders } };
    }),
  );
}
