import { i18n, type Messages } from "@lingui/core";
import { getSetting, onSettingsChange } from "@/data/settings";

export const locales = ["en", "ja"] as const;
export type Locale = (typeof locales)[number];

export function wantedLocale(): Locale {
  const wanted = getSetting("language");
  return wanted === "auto" ? (/^ja\b/i.test(navigator.language) ? "ja" : "en") : wanted;
}

export type Catalog = (locale: Locale) => Promise<{ messages: Messages }>;

/** The loaded catalogs: that of the page, and those of large lazy parts (lingui.config.ts). */
const catalogs: Catalog[] = [
  (locale) => (locale === "ja" ? import("../../locales/ja.po") : import("../../locales/en.po")),
];

/** Loads the catalogs of a language and switches to it. */
export async function activateLocale(locale: Locale): Promise<void> {
  let loaded: { messages: Messages }[] = [];
  // Again if a part came meanwhile (loadPart).
  while (loaded.length < catalogs.length)
    loaded = await Promise.all(catalogs.map((catalog) => catalog(locale)));
  const messages = Object.assign({}, ...loaded.map((one) => one.messages));
  document.documentElement.lang = locale; // before what is drawn anew asks the server in this language
  i18n.loadAndActivate({ locale, messages });
}

/** Loads the catalog of a part that has its own. */
export async function loadPart(catalog: Catalog): Promise<void> {
  catalogs.push(catalog);
  const locale = i18n.locale as Locale;
  i18n.load(locale, (await catalog(locale)).messages);
}

/** Follows the language of the settings and of the browser, without a reload. */
export function followLocale(): () => void {
  const follow = () => {
    const locale = wantedLocale();
    // Offline, a language that was never loaded is not available.
    if (locale !== i18n.locale) activateLocale(locale).catch(() => undefined);
  };
  addEventListener("languagechange", follow);
  const unlisten = onSettingsChange(follow);
  return () => {
    removeEventListener("languagechange", follow);
    unlisten();
  };
}
