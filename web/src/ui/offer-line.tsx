import { useLingui } from "@lingui/react/macro";
import type { Offer } from "@/data/watches";
import { money, shareChange } from "@/i18n/money";
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

/** The price at the end of a row, with the one before; beside or below it by how much it changed, or what happened. */
export function RowPrice({ offer }: { offer: Offer }) {
  const { i18n } = useLingui();
  const { event, price, before, currency } = offer;
  const name = i18n._(eventNames[event]);
  const text = (amount: number) => money(amount, currency, i18n.locale);
  const isChange = price !== null && before !== null && before !== price;
  const share = isChange ? shareChange(before, price, i18n.locale) : "";
  // A drop or a rise is its percentage.
  const says = share && (event === "dropped" || event === "risen") ? share : `${name} ${share}`;
  return (
    <span className="row-price" lang={i18n.locale}>
      <span className="price">
        {isChange && (
          <>
            <s>{text(before)}</s>
            <span className="to"> → </span>
          </>
        )}
        {price !== null && <b>{text(price)}</b>}
      </span>
      <span className="change" data-event={event} title={name}>
        {says.trim()}
      </span>
    </span>
  );
}
