import type { Item } from "@/data/types";

/** Characters per minute with blanks, in scripts without and with blanks between words. */
const dense = 500;
const spaced = 1_200;

/** Minutes to read what the pane shows of an item; null until it is loaded, and where the feed has only a part of it. */
export function minutesOf(
  full: Item | undefined,
  page: { characters: number } | null,
  lang: string,
): number | null {
  if (!full || (!page && full.contentState !== "full")) return null;
  return readingMinutes((page ?? full).characters, lang);
}

/** Minutes to read a text, at least one; null for an empty text. */
export function readingMinutes(characters: number, lang: string): number | null {
  if (characters <= 0) return null;
  const pace = /^(ja|zh|ko)\b/i.test(lang) ? dense : spaced;
  return Math.max(1, Math.round(characters / pace));
}
