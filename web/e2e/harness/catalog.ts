import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.ts";

export type Locale = "en" | "ja";

function readCatalog(locale: Locale): Map<string, string> {
  const text = ["", "settings/", "watches/"]
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
export function message(locale: Locale, id: string, values: Record<string, string> = {}): string {
  const words = catalogs[locale].get(id);
  if (!words) throw new Error(`the ${locale} catalog has no "${id}"`);
  return words.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `{${name}}`);
}

const documented = readFileSync(join(root, "docs/use/codes.md"), "utf8");
const columns = { answer: 5, feed: 4, entry: 3 };

/** The server's texts of a code: of an answer, of a feed that fails, or of an entry that is not imported. */
export function serverText(
  locale: Locale,
  code: string,
  kind: keyof typeof columns = "answer",
): { message: string; action: string } {
  for (const line of documented.split("\n")) {
    const cells = line.split(" | ");
    if (cells[0] !== `| \`${code}\`` || cells.length !== columns[kind]) continue;
    const [message = "", action = ""] = cells
      .slice(-2)
      .map((cell) => cell.replace(/ \|$/, "").split("<br>")[locale === "en" ? 0 : 1] ?? "");
    return { message, action };
  }
  throw new Error(`docs/use/codes.md has no texts of "${code}"`);
}
