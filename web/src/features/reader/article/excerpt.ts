import type { Item } from "@/data/types";

type Text = Pick<Item, "title" | "link" | "contentHtml" | "characters">;

/** Length up to which a text may be a summary. */
const short = 400;
/** Longer texts that end in dots are complete. */
const middling = 1_500;

const dots = /(?:…|\.{3}|・{3})["'”’」』)）]?$/;
const brackets = /[[(（［](?:…|\.{3})[\])）］]$/;

/**
 * Whether a text is probably only the beginning of the article. Feeds do not say so, and most short texts are complete: it
 * must end in dots or in a link to its own page, or be short plain text below a title, as in a description.
 */
export function isExcerpt({ title, link, contentHtml, characters }: Text): boolean {
  const text = plain(contentHtml);
  if (brackets.test(text)) return true;
  if (characters > middling) return false;
  if (dots.test(text) || leadsOn(contentHtml, link)) return true;
  return characters <= short && title !== "" && !/<[a-z]/i.test(contentHtml);
}

function plain(html: string): string {
  return html
    .replace(/<[^>]*>/g, " ")
    .replace(/&hellip;|&#8230;/g, "…")
    .replace(/&nbsp;|&#160;/g, " ")
    .trim();
}

/** Whether the text ends in a link to the page of the item. */
function leadsOn(html: string, link: string): boolean {
  const last = /<a\s[^>]*href="([^"]*)"[^>]*>[^<]*<\/a>[\s.…»›→\])]*(?:<\/[^>]+>\s*)*$/i.exec(html);
  return last?.[1] !== undefined && pageOf(last[1].replaceAll("&amp;", "&")) === pageOf(link);
}

function pageOf(address: string): string {
  return address.replace(/[?#].*$/, "").replace(/\/$/, "");
}
