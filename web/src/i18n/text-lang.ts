const kana = /[\u3041-\u3096\u30a1-\u30fa\u31f0-\u31ff\uff66-\uff9f]/;

/** The `lang` of a text from a feed: that of the feed, else ja for kana, else that of the interface. */
export function textLang(feedLanguage: string, text: string, interfaceLocale: string): string {
  if (/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(feedLanguage)) return feedLanguage;
  return kana.test(text) ? "ja" : interfaceLocale;
}
