import { t } from "@lingui/core/macro";
import type { ItemSummary } from "@/data/types";

/** The name of an item everywhere: its title, else the beginning of its text, else its link. */
export function itemName({
  title,
  snippet,
  link,
}: Pick<ItemSummary, "title" | "snippet" | "link">): string {
  return title || beginning(snippet) || link || t`Untitled`;
}

/** The heading of an article: an item without a title has its author there, not the beginning of the text below. */
export function headingName(
  item: Pick<ItemSummary, "title" | "author" | "snippet" | "link">,
  feedName: string,
): string {
  return item.title || item.author || feedName || itemName(item);
}

/** Some hundred characters, to the end of a word where words have ends. */
function beginning(text: string): string {
  if (text.length <= 100) return text;
  const [cut] = /^.{60,99}(?=\s)|^.{99}/su.exec(text) ?? [text];
  return `${cut}…`;
}
