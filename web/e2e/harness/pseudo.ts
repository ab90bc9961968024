import { runInNewContext } from "node:vm";
import type { BrowserContext } from "playwright-core";

/** A message as Lingui compiles it: text, or text with values, plurals and choices between. */
type Part = string | readonly [string, (string | Record<string, unknown>)?, unknown?];
type Messages = Record<string, readonly Part[]>;

const accents = new Map(
  Object.entries({
    a: "å",
    e: "é",
    i: "î",
    o: "ö",
    u: "û",
    y: "ý",
    c: "ç",
    n: "ñ",
    s: "š",
    z: "ž",
  }),
);
const vowel = /[åéîöûý]/;

/** Longer by four tenths, with accents; tags and numbers stay. */
export function lengthen(text: string): string {
  return text
    .split(/(<[^>]*>|#)/)
    .map((piece, at) => (at % 2 === 1 ? piece : piece.replace(/\p{L}+/gu, longer)))
    .join("");
}

function longer(word: string): string {
  const letters = [...word].map((letter) => accents.get(letter) ?? letter);
  let more = Math.ceil(letters.length * 0.4);
  let result = "";
  for (const letter of letters) {
    result += letter;
    if (vowel.test(letter) && more > 0) {
      result += letter;
      more -= 1;
    }
  }
  return result + "é".repeat(more);
}

function pseudo(parts: readonly unknown[]): unknown[] {
  return parts.map((part) => {
    if (typeof part === "string") return lengthen(part);
    if (!Array.isArray(part)) return part;
    const [name, kind, choices] = part;
    if (typeof choices !== "object" || choices === null) return part;
    const longerChoices = Object.entries(choices).map(([key, value]) => [
      key,
      Array.isArray(value) ? pseudo(value) : typeof value === "string" ? lengthen(value) : value,
    ]);
    return [name, kind, Object.fromEntries(longerChoices)];
  });
}

const literal = /JSON\.parse\((`[\s\S]*?[^\\]`|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\)/;

/**
 * In place of Japanese the page gets what it has just said in English, made longer: both catalogs are the built ones,
 * and the English one of a part has always been loaded before its Japanese one.
 */
export async function speakPseudo(context: BrowserContext): Promise<void> {
  const english: Messages = {};
  await context.route(/\/assets\/en-[\w-]+\.js$/, async (route) => {
    const answer = await route.fetch();
    Object.assign(english, parse(await answer.text()));
    await route.fulfill({ response: answer });
  });
  await context.route(/\/assets\/ja-[\w-]+\.js$/, async (route) => {
    const answer = await route.fetch();
    const script = await answer.text();
    const messages = Object.fromEntries(
      Object.keys(parse(script)).map((id) => [id, pseudo(english[id] ?? [])]),
    );
    const text = JSON.stringify(JSON.stringify(messages));
    await route.fulfill({
      contentType: "text/javascript",
      body: script.replace(literal, () => `JSON.parse(${text})`),
    });
  });
}

function parse(script: string): Messages {
  const quoted = literal.exec(script)?.[1];
  if (!quoted) throw new Error("a catalog that is built otherwise");
  return JSON.parse(runInNewContext(quoted));
}
