import { api } from "./client";
import type { Feed } from "./types";

/** How the server shows an address with a password, or with a key for a user name. */
const hidden = "xxxxx@";

/** The address of a feed that one is subscribed to, whole: lists have it without its password. */
export async function addressOf(feed: Feed): Promise<{ url: string; proposedUrl: string | null }> {
  const { id, url, proposedUrl } = feed;
  if (!url.includes(hidden) && !proposedUrl?.includes(hidden)) return { url, proposedUrl };
  return api.get("/api/feeds/{id}/address", { path: { id } });
}

/** The same feeds with whole addresses, for taking back that they are left: asked for while one still may. */
export function withAddresses(feeds: readonly Feed[]): Promise<Feed[]> {
  return Promise.all(
    feeds.map(async (feed) => ({ ...feed, url: (await addressOf(feed)).url }) satisfies Feed),
  );
}
