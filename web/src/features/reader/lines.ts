import { sortTime } from "@/data/sort-time";
import type { ItemSummary } from "@/data/types";
import { dayOf } from "@/i18n/format";
import type { Shape } from "./use-shape";

/** An entry of the virtual list: a row, or cards side by side, below the name of the day where one begins. */
export interface Line {
  key: string;
  /** The beginning of the day, in the first line of that day. */
  day: number | null;
  /** The index of its first item. */
  first: number;
  items: readonly ItemSummary[];
}

export function toLines(
  items: readonly ItemSummary[],
  columns: number,
  hasDays: boolean,
): readonly Line[] {
  const lines: { key: string; day: number | null; first: number; items: ItemSummary[] }[] = [];
  let last = -1;
  items.forEach((item, first) => {
    const day = hasDays ? dayOf(sortTime(item)) : last;
    const begins = day !== last;
    last = day;
    const line = lines.at(-1);
    if (line && !begins && line.items.length < columns) line.items.push(item);
    else lines.push({ key: item.id, day: begins ? day : null, first, items: [item] });
  });
  return lines;
}

/** The index of the line with this item. */
export function lineAt(lines: readonly Line[], index: number): number {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lines[middle]?.first ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

const rows = { compact: 2.25, normal: 5.25, spacious: 8 };

/**
 * Heights of a line and of the name of a day in the style sheet, in px: known before they are rendered, so that positions
 * do not depend on what was measured.
 */
export function sizesOf(
  shape: Shape,
  width: number,
  columns: number,
): { line: number; day: number } {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  if (shape.view === "card") {
    const card = (width - 24 - (columns - 1) * 12) / columns;
    const picture = shape.hasImages ? ((card - 2) * 9) / 16 : 0;
    return { line: picture + 5.375 * rem + 70, day: 40 };
  }
  const isCoarse = matchMedia("(pointer: coarse)").matches;
  const row =
    shape.view === "magazine"
      ? 8.25
      : isCoarse && shape.density === "compact"
        ? 2.75
        : rows[shape.density];
  return { line: row * rem, day: 36 };
}
