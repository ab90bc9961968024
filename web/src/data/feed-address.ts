import { api } from "./client";
import type { Feed } from "./types";

interface Address {
  url: string;
  proposedUrl: string | null;
}

/** Whether the server replaced a password in an address of the feed. */
function isHidden({ url, proposedUrl }: Address): boolean {
  return `${url} ${proposedUrl}`.includes("xxxxx@");
}

/** The full address of a subscribed feed. */
export async function addressOf(feed: Feed): Promise<Address> {
  return isHidden(feed) ? api.get("/api/feeds/{id}/address", { path: { id: feed.id } }) : feed;
}

/** The feeds with full addresses, which only subscribers may read: to be called before unsubscribing, for its undo. */
export function withAddresses(feeds: readonly Feed[]): readonly Feed[] | Promise<Feed[]> {
  if (!feeds.some(isHidden)) return feeds;
  return Promise.all(feeds.map(async (feed) => ({ ...feed, url: (await addressOf(feed)).url })));
}
