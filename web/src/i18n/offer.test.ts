import { expect, it } from "vitest";
import { anOfferOfItem } from "@/testing/watches";
import { offerPrice } from "./offer";

it.each([
  [{ price: 9_800, before: 12_000 }, "en", "¥12,000 → ¥9,800 (−18%)"],
  [{ price: 9_800, before: 12_000 }, "ja", "￥12,000 → ￥9,800 (−18%)"],
  [{ price: 12_000, before: 9_800 }, "en", "¥9,800 → ¥12,000 (+22%)"],
  [{ price: 9_800, before: null }, "en", "¥9,800"],
  [{ price: 9_800, before: 9_800 }, "en", "¥9,800"],
  [{ price: 9_800, before: 0 }, "en", "¥0 → ¥9,800"],
  [{ price: null, before: 9_800 }, "en", ""],
  [{ price: 1_250, before: 1_500, currency: "EUR" }, "en", "€15.00 → €12.50 (−17%)"],
])("%j in %s is %s", (over, locale, want) => {
  expect(offerPrice(anOfferOfItem(over), locale)).toBe(want);
});
