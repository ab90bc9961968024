import type { ItemSummary } from "./types";

/** The time by which an item stands in lists, which is not always when it was published. */
export function placeOf(item: Pick<ItemSummary, "publishedAt" | "sortedAt">): string {
  return item.sortedAt ?? item.publishedAt;
}
