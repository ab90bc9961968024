import type { Highlight } from "@/data/types";

/** Characters before the first match that are shown of an excerpt: it has few lines. */
const before = 24;

/** A text with its matches marked. They are text nodes: nothing in them is markup. */
export function Marked({ parts }: { parts: Highlight }) {
  return parts.map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other name, and do not move
    at % 2 === 0 ? part : <mark key={at}>{part}</mark>,
  );
}

/** An excerpt that begins shortly before its first match. */
export function fromMatch(parts: Highlight): Highlight {
  const start = Array.from(parts[0] ?? "");
  if (parts.length < 2 || start.length <= before) return parts;
  const shown = start.slice(-before).join("");
  return [`…${shown.replace(/^[\s\p{M}\u200d]+/u, "")}`, ...parts.slice(1)];
}
