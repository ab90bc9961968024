import { useKnownItem } from "@/data/item";
import { readLaterOf, useKnownTree } from "@/data/tree";
import type { ItemId } from "@/data/types";

/** Whether an item is kept to be read later; known once its text is loaded. */
export function useIsLater(id: ItemId): boolean {
  const later = readLaterOf(useKnownTree().labels);
  const labels = useKnownItem(id)?.labels;
  return later !== undefined && labels?.includes(later.id) === true;
}
