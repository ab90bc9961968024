import { useLingui } from "@lingui/react/macro";
import type { Offer } from "@/data/watches";
import { eventNames, offerPrice } from "@/i18n/offer";

/** What an item of a watch announces: the event, and the price with the one before. */
export function OfferLine({ offer }: { offer: Offer }) {
  const { i18n } = useLingui();
  const price = offerPrice(offer, i18n.locale);
  return (
    <span className="offer" lang={i18n.locale}>
      <span className="event" data-event={offer.event}>
        {i18n._(eventNames[offer.event])}
      </span>
      {price && <span className="price">{price}</span>}
    </span>
  );
}
