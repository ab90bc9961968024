import { ApiError } from "@/data/api-error";
import type { useItem } from "@/data/item";

/** Why an item is not loaded: an error, or paused offline; null otherwise. */
export function loadFailure(query: ReturnType<typeof useItem>): unknown {
  if (query.data) return null;
  if (query.isError) return query.error;
  return query.fetchStatus === "paused" ? new ApiError(0, { code: "unreachable" }) : null;
}
