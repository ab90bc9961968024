import type { Catalog } from "./locale";

/** The messages that only the settings use. */
export const settingsCatalog: Catalog = (locale) =>
  locale === "ja" ? import("../../locales/settings/ja.po") : import("../../locales/settings/en.po");
