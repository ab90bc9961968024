import { i18n, type Messages } from "@lingui/core";
import { getSetting, listenForSettings } from "@/data/settings";

export const locales = ["en", "ja"] as const;
export type Locale = (typeof locales)[number];

export function wantedLocale(): Locale {
  const wanted = getSetting("language");
  return wanted === "auto" ? (/^ja\b/i.test(navigator.language) ? "ja" : "en") : wanted;
}

export type Catalog = (locale: Locale) => Promise<{ messages: Messages }>;

/** The catalogs in use: that of the page, and those of big lazy parts (lingui.config.ts). */
const catalogs: Catalog[] = [
  (locale) => (locale === "ja" ? import("../../locales/ja.po") : import("../../locales/en.po")),
];

/** Loads what is used of one language. */
export async function activateLocale(locale: Locale): Promise<void> {
  const loaded = await Promise.all(catalogs.map((catalog) => catalog(locale)));
  const messages = Object.assign({}, ...loaded.map((one) => one.messages));
  i18n.loadAndActivate({ locale, messages });
  document.documentElement.lang = locale;
}

/** A part that has a catalog of its own waits for it before it is drawn. */
export async function loadPart(catalog: Catalog): Promise<void> {
  catalogs.push(catalog);
  const locale = i18n.locale as Locale;
  i18n.load(locale, (await catalog(locale)).messages);
}

/** From here on the language is that of the settings, or as the browser's is now, without a reload. */
export function followLocale(): () => void {
  const follow = () => {
    const locale = wantedLocale();
    // Without a network a language that was never loaded cannot be had; the page stays in the one that it has.
    if (locale !== i18n.locale) activateLocale(locale).catch(() => undefined);
  };
  addEventListener("languagechange", follow);
  const unlisten = listenForSettings(follow);
  return () => {
    removeEventListener("languagechange", follow);
    unlisten();
  };
}
