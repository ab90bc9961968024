import type { Item } from "@/data/types";

type Text = Pick<Item, "title" | "link" | "contentHtml" | "characters">;

/** As long as a publisher's summary gets without saying that it is one. */
const short = 400;
/** Longer texts that end in dots do it for the sake of style. */
const middling = 1_500;

const dots = /(?:…|\.{3}|・{3})["'”’」』)）]?$/;
const brackets = /[[(（［](?:…|\.{3})[\])）］]$/;

/**
 * Whether a text reads as the beginning of another. Feeds that tease do not say so, and most short texts are whole: so
 * it must break off, lead on to its own page, or be what a publisher puts into a description, a few plain words below
 * a title. Whoever makes paragraphs has written the text for its own sake.
 */
export function isBeginning({ title, link, contentHtml, characters }: Text): boolean {
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

/** The text ends in a link to where the item itself leads. */
function leadsOn(html: string, link: string): boolean {
  const last = /<a\s[^>]*href="([^"]*)"[^>]*>[^<]*<\/a>[\s.…»›→\])]*(?:<\/[^>]+>\s*)*$/i.exec(html);
  return last?.[1] !== undefined && pageOf(last[1].replaceAll("&amp;", "&")) === pageOf(link);
}

function pageOf(address: string): string {
  return address.replace(/[?#].*$/, "").replace(/\/$/, "");
}
