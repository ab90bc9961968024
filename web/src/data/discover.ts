import type { components } from "./api.gen";
import { ApiError } from "./api-error";
import { api } from "./client";

/** A feed that an address leads to. */
export type Offer = components["schemas"]["FeedOffer"];

export async function discover(url: string, signal: AbortSignal): Promise<Offer[]> {
  try {
    const { feeds } = await api.get("/api/discover", { query: { url }, signal, impatient: true });
    return feeds;
  } catch (cause) {
    // Discovery is never stored on the device, and is not repeated automatically.
    const isOffline = cause instanceof ApiError && cause.code === "not_saved";
    throw isOffline ? new ApiError(0, { code: "not_searched" }) : cause;
  }
}
