/** Milliseconds within which letters form a word. */
const pause = 700;

/**
 * Finds a name by typed letters, starting after the focused row; the same letter again finds the next one. Returns -1 for a
 * letter that begins no name, which stays a shortcut.
 */
export function makeTypeAhead() {
  let typed = "";
  let typedAt = Number.NEGATIVE_INFINITY;
  const search = (names: readonly string[], from: number, text: string): number => {
    const isRepeat = text.length > 1 && [...text].every((one) => one === text[0]);
    const wanted = isRepeat ? (text[0] ?? "") : text;
    const start = from + (isRepeat || text.length === 1 ? 1 : 0);
    for (let i = 0; i < names.length; i += 1) {
      const index = (start + i) % names.length;
      if (fold(names[index] ?? "").startsWith(wanted)) return index;
    }
    return -1;
  };
  return (names: readonly string[], from: number, key: string, at: number): number => {
    const letter = fold(key);
    // Letters that continue no name start a new word.
    for (const text of at - typedAt > pause ? [letter] : [typed + letter, letter]) {
      const index = search(names, from, text);
      if (index < 0) continue;
      typed = text;
      typedAt = at;
      return index;
    }
    return -1;
  };
}

/** Normalizes width, case and accents. */
function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
}
