import { i18n } from "@lingui/core";
import { getSetting, listenForSettings } from "@/data/settings";

export const locales = ["en", "ja"] as const;
export type Locale = (typeof locales)[number];

export function wantedLocale(): Locale {
  const wanted = getSetting("language");
  return wanted === "auto" ? (/^ja\b/i.test(navigator.language) ? "ja" : "en") : wanted;
}

/** Loads the one catalog that is used. */
export async function activateLocale(locale: Locale): Promise<void> {
  const catalog =
    locale === "ja" ? await import("../../locales/ja.po") : await import("../../locales/en.po");
  i18n.loadAndActivate({ locale, messages: catalog.messages });
  document.documentElement.lang = locale;
}

/** From here on the language is that of the settings, without a reload. */
export function followLocale(): () => void {
  return listenForSettings(() => {
    const locale = wantedLocale();
    if (locale !== i18n.locale) void activateLocale(locale);
  });
}
