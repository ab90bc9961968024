import { cached } from "./format";

/** How many decimals a currency has (ISO 4217); what a page does not name is taken for one without. */
export function decimalsOf(currency: string): number {
  return formatOf("en", currency).resolvedOptions().maximumFractionDigits ?? 0;
}

/** An amount in minor units: "￥9,800", "€12.50"; without a known currency the plain number. */
export function money(minor: number, currency: string, locale: string): string {
  return formatOf(locale, currency).format(minor / 10 ** decimalsOf(currency));
}

/** By how much: "+￥200", "−￥1,200". */
export function moneyChange(minor: number, currency: string, locale: string): string {
  const sign = minor > 0 ? "+" : minor < 0 ? "−" : "±";
  return `${sign}${money(Math.abs(minor), currency, locale)}`;
}

/** By which share of the old price: "−18%"; empty where that says nothing. */
export function shareChange(before: number, after: number, locale: string): string {
  if (before <= 0 || before === after) return "";
  const share = cached(
    `%±|${locale}`,
    () => new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 }),
  ).format(Math.abs(after - before) / before);
  return `${after > before ? "+" : "−"}${share}`;
}

/** What a person typed as an amount, in minor units; null if it is none, undefined if it is empty. */
export function minorOf(typed: string, currency: string): number | null | undefined {
  const text = typed.normalize("NFKC").replace(/[\s,_']/g, "");
  if (text === "") return undefined;
  if (!/^\d{1,12}(\.\d{0,3})?$/.test(text)) return null;
  return Math.round(Number(text) * 10 ** decimalsOf(currency));
}

/** The text of a field for an amount in minor units. */
export function typedOf(minor: number | undefined, currency: string): string {
  return minor ? String(minor / 10 ** decimalsOf(currency)) : "";
}

function formatOf(locale: string, currency: string): Intl.NumberFormat {
  return cached(`¤|${locale}|${currency}`, () =>
    /^[A-Z]{3}$/.test(currency)
      ? new Intl.NumberFormat(locale, {
          style: "currency",
          currency,
          currencyDisplay: "narrowSymbol",
        })
      : new Intl.NumberFormat(locale, { maximumFractionDigits: 0 }),
  );
}
