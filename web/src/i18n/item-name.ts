import { t } from "@lingui/core/macro";
import type { ItemSummary } from "@/data/types";

/** What an item is called, wherever it is named: its title, else how its text begins, else where it leads. */
export function itemName({
  title,
  snippet,
  link,
}: Pick<ItemSummary, "title" | "snippet" | "link">): string {
  return title || beginning(snippet) || link || t`Without a title`;
}

/** What stands over its text: a post without a title would say its text twice, so there it is who wrote it. */
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
