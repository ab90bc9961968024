import { sortTime } from "@/data/sort-time";
import type { ItemSummary } from "@/data/types";
import { dayOf } from "@/i18n/format";
import type { Shape } from "./use-shape";

/** An entry of the virtual list: a row, or cards side by side, below a heading where a day begins. */
export interface Line {
  key: string;
  /** The beginning of the day, or `earlier`, in the first line below that heading. */
  day: number | null;
  /** The index of its first item. */
  first: number;
  items: readonly ItemSummary[];
}

/** The heading of all that follows a day with a single item. */
export const earlier = -1;

/** A day has a heading if it has several items; from the first that has one only, the rest is "earlier". */
export function toLines(
  items: readonly ItemSummary[],
  columns: number,
  hasDays: boolean,
  isEnd = true,
): readonly Line[] {
  const heads = hasDays ? headingsOf(items, isEnd) : new Map<number, number | null>();
  const lines: { key: string; day: number | null; first: number; items: ItemSummary[] }[] = [];
  items.forEach((item, first) => {
    const line = lines.at(-1);
    if (line && !heads.has(first) && line.items.length < columns) line.items.push(item);
    else lines.push({ key: item.id, day: heads.get(first) ?? null, first, items: [item] });
  });
  return lines;
}

/** By the index of the item that they stand above; null begins a line without a heading. */
function headingsOf(
  items: readonly ItemSummary[],
  isEnd: boolean,
): ReadonlyMap<number, number | null> {
  const starts: { at: number; day: number }[] = [];
  items.forEach((item, at) => {
    const day = dayOf(sortTime(item));
    if (starts.at(-1)?.day !== day) starts.push({ at, day });
  });
  const heads = new Map<number, number | null>();
  for (const [i, { at, day }] of starts.entries()) {
    const next = starts[i + 1]?.at ?? (isEnd ? items.length : Number.POSITIVE_INFINITY);
    const isSingle = next - at === 1;
    if (isSingle && i > 0) {
      heads.set(at, earlier);
      break;
    }
    heads.set(at, isSingle ? null : day);
  }
  return heads;
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

interface Sizes {
  /** A usual line. */
  line: number;
  /** The heading of a day. */
  day: number;
  /** A line with these items: exact but for Read, where a title is not broken into lines before it is rendered. */
  of(items: readonly ItemSummary[]): number;
}

/** The height of a row of a watch, in rem. */
const offerRow = 4;

/** Heights in the style sheet, in px: known before rendering, so that positions do not depend on what was measured. */
export function sizesOf(shape: Shape, width: number, columns: number): Sizes {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  const all = (line: number) => ({ line, day: 0, of: () => line });
  switch (shape.mode) {
    case "gallery": {
      const card = (width - 24 - (columns - 1) * 12) / columns;
      const picture = shape.hasImages ? ((card - 2) * 9) / 16 : 0;
      return all(picture + 5.375 * rem + 70);
    }
    case "skim": {
      const isCoarse = matchMedia("(pointer: coarse)").matches;
      const line = (isCoarse ? 2.75 : shape.isCompact ? 1.75 : 2) * rem;
      return { ...all(line), of: ([item]) => (item?.offer ? offerRow * rem : line) };
    }
    case "stream":
      return all(40 * rem);
    case "read": {
      const isPhone = width < 768 && matchMedia("(max-width: 767px)").matches;
      const most = isPhone ? 2 : 3;
      // Meta line and padding, then lines of text.
      const of = ([item]: readonly ItemSummary[]) =>
        item?.offer
          ? offerRow * rem
          : Math.max(
              (isPhone ? 2.25 : 2.5) * rem + textLines(item, width / rem, most) * 1.25 * rem,
              isPhone ? 3.75 * rem : 0,
            );
      return { line: (isPhone ? 4.75 : 6.25) * rem, day: 1.75 * rem, of };
    }
  }
}

/** About how many lines title and excerpt take, in a list of so many rem. */
function textLines(item: ItemSummary | undefined, width: number, most: number): number {
  if (!item) return most;
  const inner = Math.max(10, width - 4);
  const title = Math.max(1, Math.ceil((widthOf(item.title || item.snippet) * 0.9375) / inner));
  const hasExcerpt = item.title !== "" && item.snippet !== "" && item.title !== item.snippet;
  const excerpt = hasExcerpt ? Math.min(2, Math.ceil((widthOf(item.snippet) * 0.8125) / inner)) : 0;
  return Math.min(most, title + excerpt);
}

/** In em: full-width characters take one, others about half. */
function widthOf(text: string): number {
  let sum = 0;
  for (let i = 0; i < Math.min(text.length, 120); i += 1)
    sum += text.charCodeAt(i) > 0x2e7f ? 1 : 0.54;
  return sum;
}
