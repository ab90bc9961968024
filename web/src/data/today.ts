import type { FolderId, ItemSummary, Today } from "./types";

/** A part of Today with the items that it has; of a folder the newest, and how many there are. */
export type Section =
  | { kind: "folder"; id: FolderId | null; items: readonly ItemSummary[]; count: number }
  | { kind: "continued"; items: readonly ItemSummary[] }
  | { kind: "longReads" | "episodes" | "popular" | "priceDrops"; items: readonly ItemSummary[] };

/** The sections that have something, in the order of the page. */
export function sectionsOf(day: Today): Section[] {
  const continued = { kind: "continued" as const, items: day.continued.map(({ item }) => item) };
  const folders = day.folders.map(({ id, items, newCount: count }) => ({
    kind: "folder" as const,
    id,
    items,
    count,
  }));
  const others = (["longReads", "episodes", "popular", "priceDrops"] as const).map((kind) => ({
    kind,
    items: day[kind],
  }));
  return [continued, ...folders, ...others].filter(({ items }) => items.length > 0);
}

/** What is on the page as a list, in its order, each item once. */
export function todayItems(day: Today): ItemSummary[] {
  const items = sectionsOf(day).flatMap((section) => section.items);
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
