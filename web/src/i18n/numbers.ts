import { cached } from "./format";

export function number(value: number, locale: string): string {
  return cached(`#|${locale}`, () => new Intl.NumberFormat(locale)).format(value);
}

/** Items a week, wherever they are shown: "12", "0.5". */
export function perWeek(items: number, locale: string): string {
  return number(items >= 3 ? Math.round(items) : Math.round(items * 10) / 10, locale);
}

/** Counts in the side bar keep their width. */
export function shortCount(value: number): string {
  return value > 999 ? "999+" : String(value);
}

export function fileSize(bytes: number, locale: string): string {
  const [unit, size] = bytes < 1_000_000 ? ["kilobyte", 1_000] : ["megabyte", 1_000_000];
  return cached(
    `b|${locale}|${unit}`,
    () =>
      new Intl.NumberFormat(locale, {
        style: "unit",
        unit,
        maximumFractionDigits: unit === "kilobyte" ? 0 : 1,
      }),
  ).format(bytes / size);
}

/** Two decimals, below one dollar four. */
export function dollars(value: number, locale: string): string {
  const digits = value > 0 && value < 1 ? 4 : 2;
  return cached(
    `$|${locale}|${digits}`,
    () =>
      new Intl.NumberFormat(locale, {
        style: "currency",
        currency: "USD",
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      }),
  ).format(value);
}
