import type { Catalog } from "./locale";

/** What only the settings say. */
export const settingsWords: Catalog = (locale) =>
  locale === "ja" ? import("../../locales/settings/ja.po") : import("../../locales/settings/en.po");
