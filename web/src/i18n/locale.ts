import { i18n } from "@lingui/core";
import { getPreference, setPreference } from "@/data/preferences";

export const locales = ["en", "ja"] as const;
export type Locale = (typeof locales)[number];

export function wantedLocale(): Locale {
  const system: Locale = /^ja\b/i.test(navigator.language) ? "ja" : "en";
  return getPreference("lang", locales, system);
}

/** Loads the one catalog that is used. */
export async function activateLocale(locale: Locale): Promise<void> {
  const catalog =
    locale === "ja" ? await import("../../locales/ja.po") : await import("../../locales/en.po");
  i18n.loadAndActivate({ locale, messages: catalog.messages });
  document.documentElement.lang = locale;
}

export async function chooseLocale(locale: Locale): Promise<void> {
  setPreference("lang", locale);
  await activateLocale(locale);
}
