import type { FeedId } from "@/data/types";

export interface Selection {
  ids: ReadonlySet<FeedId>;
  /** Where a range starts. */
  anchor: FeedId | null;
}

export const noSelection: Selection = { ids: new Set(), anchor: null };

/**
 * Toggles a row; with `isRange` all rows from the last toggled one on get the same state. `shown` is the order of the
 * table.
 */
export function toggle(
  selection: Selection,
  shown: readonly FeedId[],
  id: FeedId,
  isRange: boolean,
): Selection {
  const on = !selection.ids.has(id);
  const from = isRange && selection.anchor !== null ? shown.indexOf(selection.anchor) : -1;
  const to = shown.indexOf(id);
  const touched = from < 0 ? [id] : shown.slice(Math.min(from, to), Math.max(from, to) + 1);
  const ids = new Set(selection.ids);
  for (const one of touched) {
    if (on) ids.add(one);
    else ids.delete(one);
  }
  return { ids, anchor: id };
}

/** Shift with an arrow key: selects the row that is left and the one that is reached. */
export function extend(selection: Selection, from: FeedId, to: FeedId): Selection {
  return { ids: new Set([...selection.ids, from, to]), anchor: to };
}

/** Selects all shown rows, or none when all are selected. */
export function toggleAll(selection: Selection, shown: readonly FeedId[]): Selection {
  const ids = new Set(selection.ids);
  const all = shown.every((id) => ids.has(id));
  for (const id of shown) {
    if (all) ids.delete(id);
    else ids.add(id);
  }
  return { ids, anchor: null };
}

export function howMany(selection: Selection, shown: readonly FeedId[]): "none" | "some" | "all" {
  const inside = shown.filter((id) => selection.ids.has(id)).length;
  return inside === 0 ? "none" : inside === shown.length ? "all" : "some";
}
