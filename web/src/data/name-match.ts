/** Normalizes width, case, accents and kana for comparison. */
export function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\u30a1-\u30f6]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60));
}

/** How well a name matches, smaller is better; null when it does not. Both are folded. */
function rank(name: string, wanted: string): number | null {
  if (wanted === "") return 0;
  const at = name.indexOf(wanted);
  if (at === 0) return 0;
  if (at > 0) return /[\s\-_/・.:]/.test(name[at - 1] ?? "") ? 1 : 2;
  // The letters in this order, with others between.
  let from = 0;
  for (const letter of wanted) {
    const found = name.indexOf(letter, from);
    if (found < 0) return null;
    from = found + letter.length;
  }
  return 3;
}

/** The entries that match, best first, otherwise in the given order. Letters with others between count where no word matches. */
export function search<T extends { name: string; words?: string }>(
  all: readonly T[],
  text: string,
): T[] {
  const wanted = fold(text.trim());
  const found = all
    .flatMap((one) => {
      const named = rank(fold(one.name), wanted) ?? 4;
      // What it is about counts less than its name, and only whole beginnings of words.
      const about = one.words && (rank(fold(one.words), wanted) ?? 4) < 2 ? 1.5 : 4;
      const place = Math.min(named, about);
      return place === 4 ? [] : [{ one, place }];
    })
    .sort((a, b) => a.place - b.place);
  const hasWords = (found[0]?.place ?? 3) < 3;
  return found.filter(({ place }) => !hasWords || place < 3).map(({ one }) => one);
}
