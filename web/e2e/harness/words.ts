import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./places.ts";

export type Locale = "en" | "ja";

function readCatalog(locale: Locale): Map<string, string> {
  const text = ["", "settings/"]
    .map((part) => readFileSync(join(root, `web/locales/${part}${locale}.po`), "utf8"))
    .join("\n");
  const words = new Map<string, string>();
  const entry = /^msgid ((?:".*"\n)+)msgstr ((?:".*"(?:\n|$))+)/gm;
  const plain = (quoted = "") =>
    quoted
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as string)
      .join("");
  for (const [, id, said] of text.matchAll(entry)) words.set(plain(id), plain(said));
  return words;
}

const catalogs = { en: readCatalog("en"), ja: readCatalog("ja") };

/** What the page says for a message, from the same catalogs that it is built with. */
export function say(locale: Locale, id: string, values: Record<string, string> = {}): string {
  const words = catalogs[locale].get(id);
  if (!words) throw new Error(`the ${locale} catalog has no "${id}"`);
  return words.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `{${name}}`);
}
