/** Characters read in a minute, blanks counted: scripts without blanks say more with each. */
const dense = 500;
const spaced = 1_200;

/** Whole minutes that a text takes, at least one; null for a text without length. */
export function readingMinutes(characters: number, lang: string): number | null {
  if (characters <= 0) return null;
  const pace = /^(ja|zh|ko)\b/i.test(lang) ? dense : spaced;
  return Math.max(1, Math.round(characters / pace));
}
