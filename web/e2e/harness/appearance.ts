import type { Locale } from "./catalog.ts";
import { eventuallyEquals } from "./eventually.ts";
import { keepsScreenshots } from "./paths.ts";
import type { Reader } from "./reader.ts";

/** What of a screen's appearance changes without opening it again. */
export interface Appearance {
  scheme: "light" | "dark";
  locale: Locale;
}

/** Between a wide window and a phone, in CSS pixels. */
const phoneWidth = 768;

const all: readonly Appearance[] = [
  { scheme: "light", locale: "en" },
  { scheme: "dark", locale: "en" },
  { scheme: "dark", locale: "ja" },
  { scheme: "light", locale: "ja" },
];

/**
 * The appearances to check at a width: together they have every pair of theme, language and width. `make screenshots`
 * checks all.
 */
export function appearancesAt(width: number): readonly Appearance[] {
  if (keepsScreenshots) return all;
  const isWide = width >= phoneWidth;
  return all.filter(
    ({ scheme, locale }) => ((scheme === "light") === (locale === "en")) === isWide,
  );
}

/** axe runs once per screen: in a wide window, in light English. On phones only where the markup is another. */
export function needsAxe(name: string, width: number, { scheme, locale }: Appearance): boolean {
  if (keepsScreenshots) return true;
  const isFirst = locale === "en" && scheme === (width >= phoneWidth ? "light" : "dark");
  return isFirst && (width >= phoneWidth || phoneMarkup.has(name));
}

/** Screens that have other elements on a phone. */
const phoneMarkup = new Set([
  "list",
  "article",
  "feeds",
  "settings-menu",
  "settings",
  "subscriptions",
  "stats",
  "watch",
]);

/** Changes theme and language of the open page as the system would, and waits until the page shows them. */
export async function applyAppearance(
  reader: Reader,
  { scheme, locale }: Appearance,
): Promise<void> {
  await reader.page.emulateMedia({ colorScheme: scheme });
  await reader.page.evaluate(
    (language) => {
      if (navigator.language === language) return;
      Object.defineProperty(navigator, "language", { configurable: true, get: () => language });
      dispatchEvent(new Event("languagechange"));
    },
    locale === "ja" ? "ja-JP" : "en-US",
  );
  await eventuallyEquals(
    "theme and language",
    () =>
      reader.page.evaluate(() => {
        const { dataset, lang } = document.documentElement;
        return [dataset.theme, lang];
      }),
    [scheme, locale],
  );
  await reader.frames(2);
}
