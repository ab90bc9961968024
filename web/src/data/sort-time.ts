import type { ItemSummary } from "./types";

/** The time by which lists sort an item; not always the time of publication. */
export function sortTime(item: Pick<ItemSummary, "publishedAt" | "sortedAt">): string {
  return item.sortedAt ?? item.publishedAt;
}
