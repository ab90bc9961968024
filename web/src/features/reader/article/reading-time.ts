/** Characters per minute with blanks, in scripts without and with blanks between words. */
const dense = 500;
const spaced = 1_200;

/** Minutes to read a text, at least one; null for an empty text. */
export function readingMinutes(characters: number, lang: string): number | null {
  if (characters <= 0) return null;
  const pace = /^(ja|zh|ko)\b/i.test(lang) ? dense : spaced;
  return Math.max(1, Math.round(characters / pace));
}
