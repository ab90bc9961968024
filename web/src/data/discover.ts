import type { components } from "./api.gen";
import { api } from "./client";

/** A feed that an address leads to. */
export type Offer = components["schemas"]["FeedOffer"];

export async function discover(url: string, signal: AbortSignal): Promise<Offer[]> {
  const { feeds } = await api.get("/api/discover", { query: { url }, signal });
  return feeds;
}
