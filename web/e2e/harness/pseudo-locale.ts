import { runInNewContext } from "node:vm";
import type { BrowserContext } from "playwright-core";
import { applyAppearance } from "./appearance.ts";
import type { Reader } from "./reader.ts";

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
function lengthen(text: string): string {
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
 * Makes the Japanese catalogs of the context's pages switchable to a pseudo-locale: the English messages, made longer. The
 * English catalog of a part is always loaded before its Japanese one.
 */
export async function offerPseudoLocale(context: BrowserContext): Promise<void> {
  const english: Messages = {};
  await context.route(/\/assets\/en-[\w-]+\.js$/, async (route) => {
    const answer = await route.fetch();
    Object.assign(english, parse(await answer.text()));
    await route.fulfill({ response: answer });
  });
  await context.route(/\/assets\/ja-[\w-]+\.js$/, async (route) => {
    const answer = await route.fetch();
    const script = await answer.text();
    const japanese = parse(script);
    const both = Object.fromEntries(
      Object.entries(japanese).map(([id, said]) => [id, [said, pseudo(english[id] ?? [])]]),
    );
    await route.fulfill({
      contentType: "text/javascript",
      body: script.replace(literal, () => `(${chooseMessages})(${JSON.stringify(both)})`),
    });
  });
}

interface SwitchedWindow extends Window {
  isPseudo?: boolean;
}

/** Runs in the page: messages that are read from the second catalog once `isPseudo` is set. */
function chooseMessages(both: Record<string, [unknown, unknown]>): object {
  const messages = {};
  for (const [id, [said, longer]] of Object.entries(both)) {
    Object.defineProperty(messages, id, {
      enumerable: true,
      get: () => ((window as SwitchedWindow).isPseudo ? longer : said),
    });
  }
  return messages;
}

/** Shows the open page in the pseudo-locale, until it is loaded again. */
export async function showPseudoLocale(reader: Reader): Promise<void> {
  await reader.page.evaluate(() => {
    (window as SwitchedWindow).isPseudo = true;
  });
  await applyAppearance(reader, { scheme: "light", locale: "en" });
  await applyAppearance(reader, { scheme: "light", locale: "ja" });
}

function parse(script: string): Messages {
  const quoted = literal.exec(script)?.[1];
  if (!quoted) throw new Error("the catalog has another form than expected");
  return JSON.parse(runInNewContext(quoted));
}
