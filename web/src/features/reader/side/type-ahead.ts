/** So long two letters belong to one word. */
const pause = 700;

/**
 * Finds by the letters that are typed, from the row after the one that has the focus; the same letter again goes on
 * to the next. A letter that begins no name is not taken: it stays a key of the reader.
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
    // What goes on no name begins another one.
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

/** Full-width and half-width, capital and small, accented and plain are one. */
function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
}
