/**
 * The bars of phones leave while one scrolls down, and return on the way up and at the end. Returns the position from which
 * on the next movement counts.
 */
export function moveBars(box: HTMLElement, before: number): number {
  const top = box.scrollTop;
  if (Math.abs(top - before) < 8) return before;
  const isNearEnd = box.scrollHeight - box.clientHeight - top < 64;
  setBars(top > before && top > 120 && !isNearEnd ? "away" : "there");
  return top;
}

export function setBars(bars: "away" | "there"): void {
  document.documentElement.dataset.bars = bars;
}
