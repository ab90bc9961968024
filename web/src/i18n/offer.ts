import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Offer, WatchEvent } from "@/data/watches";
import { money, shareChange } from "./money";

/** What an item of a watch announces, in a word or two. */
export const eventNames: Record<WatchEvent, MessageDescriptor> = {
  new: msg({ context: "event of a watch", message: "New" }),
  dropped: msg`Price drop`,
  reached: msg`Wanted price`,
  risen: msg`Price rise`,
  sold: msg`Sold`,
  gone: msg`No longer listed`,
  back: msg`Listed again`,
};

/** The price of an offer: "¥9,800", or with the one before "¥12,000 → ¥9,800 (−18%)"; empty if there is none. */
export function offerPrice(offer: Offer, locale: string): string {
  const { price, before, currency } = offer;
  if (price === null) return "";
  const now = money(price, currency, locale);
  if (before === null || before === price) return now;
  const share = shareChange(before, price, locale);
  return `${money(before, currency, locale)} → ${now}${share && ` (${share})`}`;
}
