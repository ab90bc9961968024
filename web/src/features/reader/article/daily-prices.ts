const day = 86_400;

/** The price on each of the last days, the oldest first; null before the first one, and where there was none. */
export function dailyPrices(
  prices: readonly (readonly (number | null)[])[],
  days: number,
  now: number,
): (number | null)[] {
  return Array.from({ length: days }, (_, at) => {
    const end = now - (days - 1 - at) * day;
    return prices.findLast(([since]) => since != null && since <= end)?.[1] ?? null;
  });
}
