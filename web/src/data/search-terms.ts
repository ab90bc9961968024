/** A part of a query, as the server reads it (docs/use/search.md). */
interface Term {
  isNegated: boolean;
  field: "title" | "author" | null;
  text: string;
  isQuoted: boolean;
  /** `word*` */
  isPrefix: boolean;
}

/** Like `is:unread` or `after:2026-05-03`: no words to look for. */
const condition = /^-?(is:(unread|starred)|(after|before):\S*)$/i;
const part = /(-?)((?:title|author):)?(?:"([^"]*)"?|(\S+))/giy;

/** Full-width forms and curly quotes are written like plain ones. */
function plain(q: string): string {
  return q.normalize("NFKC").replace(/[“”„‟«»‹›〝〞〟]/g, '"');
}

/** Cuts a query into its parts: words and quoted texts (Term), and conditions, which stay as they are. */
export function partsOf(q: string): (Term | string)[] {
  const text = plain(q);
  const parts: (Term | string)[] = [];
  for (let at = 0; at < text.length; at = part.lastIndex) {
    part.lastIndex = at;
    const found = part.exec(text);
    if (!found) {
      part.lastIndex = at + 1;
      continue;
    }
    const [whole, minus = "", field = "", quoted, word = ""] = found;
    if (condition.test(whole)) parts.push(whole);
    else {
      const isPrefix = /[^*]\*$/.test(word);
      const text = quoted ?? (isPrefix ? word.slice(0, -1) : word);
      if (text.trim() !== "")
        parts.push({
          isNegated: minus !== "",
          field: field === "" ? null : (field.slice(0, -1).toLowerCase() as "title"),
          text,
          isQuoted: quoted !== undefined,
          isPrefix,
        });
    }
  }
  return parts;
}

/** The words and quoted texts of a query. */
export function termsIn(q: string): Term[] {
  return partsOf(q).filter((one) => typeof one !== "string");
}

function textOf({ isNegated, field, text, isQuoted, isPrefix }: Term): string {
  const words = isQuoted ? `"${text}"` : text;
  return `${isNegated ? "-" : ""}${field === null ? "" : `${field}:`}${words}${isPrefix ? "*" : ""}`;
}

/** A query without its conditions. */
export function wordsIn(q: string): string {
  return termsIn(q).map(textOf).join(" ");
}

/** Whether all that is looked for is looked for in titles, apart from authors. */
export function isTitleOnly(q: string): boolean {
  const wanted = termsIn(q).filter(({ isNegated, field }) => !isNegated && field !== "author");
  return wanted.length > 0 && wanted.every(({ field }) => field === "title");
}

/** Looks for all words in titles only, or wherever they are. */
export function withTitleOnly(q: string, isOn: boolean): string {
  return partsOf(q)
    .map((one) => {
      if (typeof one === "string") return one;
      if (one.isNegated || one.field === "author") return textOf(one);
      return textOf({ ...one, field: isOn ? "title" : null });
    })
    .join(" ");
}

/** What the last word becomes is not known yet: an operator without its value, or one letter. */
const unfinished = /(^|\s)-?((title|author):"?|is:\S*|(after|before):\S*|[\p{Lu}\p{Ll}\p{N}"])?$/iu;

/**
 * What is searched for while a query is typed: its words in titles, the last of which may go on. Titles are few, so it
 * costs little (docs/run/cost.md). Empty while there is nothing to look for.
 */
export function typedQuery(q: string): string {
  const text = plain(q);
  // A quotation without an end is words that are still typed.
  const isOpen = text.split('"').length % 2 === 0;
  const words = isOpen ? text.replace(/"(?=[^"]*$)/, "") : text;
  const whole = partsOf(words).at(-1);
  const isDone = typeof whole === "string" && /^-?(is:|\w+:\d{4}([-/]\d\d?){2}$)/i.test(whole);
  const parts = partsOf(isDone ? words : words.replace(unfinished, ""));
  const last = parts.at(-1);
  const terms = parts.filter((one) => typeof one !== "string");
  if (!terms.some(({ isNegated }) => !isNegated)) return "";
  return parts
    .map((one) => {
      if (typeof one === "string") return one;
      const field = one.field ?? "title";
      const isPrefix = one.isPrefix || (one === last && !one.isQuoted && [...one.text].length > 1);
      return textOf({ ...one, field, isPrefix });
    })
    .join(" ");
}
