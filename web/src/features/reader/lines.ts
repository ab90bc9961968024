import { placeOf } from "@/data/place";
import type { ItemSummary } from "@/data/types";
import { dayOf } from "@/i18n/format";
import type { Shape } from "./use-shape";

/** What the virtual list scrolls by: a row, or as many cards as stand side by side, under a day's name where one begins. */
export interface Line {
  key: string;
  /** The beginning of the day that starts here. */
  day: number | null;
  /** Place of its first item among all. */
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
    const day = hasDays ? dayOf(placeOf(item)) : last;
    const begins = day !== last;
    last = day;
    const line = lines.at(-1);
    if (line && !begins && line.items.length < columns) line.items.push(item);
    else lines.push({ key: item.id, day: begins ? day : null, first, items: [item] });
  });
  return lines;
}

/** The line that holds the item at this place. */
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
 * How high the style sheet makes a line and a day's name, in pixels: known before they are drawn, so that neither what
 * stands below nor the place in the list depends on what was measured.
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
