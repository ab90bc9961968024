import type { Catalog } from "./locale";

/** The messages that only the screens of watches use. */
export const watchesCatalog: Catalog = (locale) =>
  locale === "ja" ? import("../../locales/watches/ja.po") : import("../../locales/watches/en.po");
