import { api } from "./client";
import type { Feed } from "./types";

interface Address {
  url: string;
  proposedUrl: string | null;
}

/** Whether the server shows an address of the feed without its password, or the key in place of one. */
function isHidden({ url, proposedUrl }: Address): boolean {
  return `${url} ${proposedUrl}`.includes("xxxxx@");
}

/** The address of a feed that one is subscribed to, whole. */
export async function addressOf(feed: Feed): Promise<Address> {
  return isHidden(feed) ? api.get("/api/feeds/{id}/address", { path: { id: feed.id } }) : feed;
}

/** The same feeds with whole addresses, for taking back that they are left: asked for while one still may. */
export function withAddresses(feeds: readonly Feed[]): readonly Feed[] | Promise<Feed[]> {
  if (!feeds.some(isHidden)) return feeds;
  return Promise.all(feeds.map(async (feed) => ({ ...feed, url: (await addressOf(feed)).url })));
}
