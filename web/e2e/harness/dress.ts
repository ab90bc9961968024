import type { Rules } from "./axe.ts";
import { settles } from "./eventually.ts";
import type { Reader } from "./reader.ts";
import type { Locale } from "./words.ts";

/** What a screen can wear without being opened anew. */
export interface Dress {
  scheme: "light" | "dark";
  locale: Locale;
}

/** Each with what axe is to look at in it, so that each rule meets all that can matter to it. */
export const dresses: readonly (Dress & { rules: Rules | null })[] = [
  { scheme: "light", locale: "en", rules: "all" },
  { scheme: "dark", locale: "en", rules: "colours" },
  { scheme: "dark", locale: "ja", rules: "all but colours" },
  { scheme: "light", locale: "ja", rules: null },
];

/** Changes colours and language of the open page as the system would: whoever follows the system sees it at once. */
export async function dress(reader: Reader, { scheme, locale }: Dress): Promise<void> {
  await reader.page.emulateMedia({ colorScheme: scheme });
  await reader.page.evaluate(
    (language) => {
      if (navigator.language === language) return;
      Object.defineProperty(navigator, "language", { configurable: true, get: () => language });
      dispatchEvent(new Event("languagechange"));
    },
    locale === "ja" ? "ja-JP" : "en-US",
  );
  await settles(
    "the dress",
    () =>
      reader.page.evaluate(() => {
        const { dataset, lang } = document.documentElement;
        return [dataset.theme, lang];
      }),
    [scheme, locale],
  );
  await reader.frames(2);
}
