import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Item, ItemSummary } from "@/data/types";
import { type Offer, useResult } from "@/data/watches";
import { useNow } from "@/i18n/use-now";
import { Link } from "@/ui/link";
import { RowPrice } from "@/ui/offer-line";
import { OriginalLink } from "../original-link";
import { dailyPrices } from "./daily-prices";
import { PriceChart } from "./price-chart";

const ranges = [30, 90, 365] as const;

interface Props {
  item: ItemSummary | Item;
  offer: Offer;
  lang: string;
}

/** What the article of a watch says below its title: the price, how good it is, what to do, and how the price went. */
export function OfferArticle({ item, offer, lang }: Props) {
  const { t } = useLingui();
  const now = useNow();
  const [range, setRange] = useState<(typeof ranges)[number]>(90);
  const query = useResult(offer.watchId, offer.resultId);
  const prices = query.data?.result.prices ?? [];
  const days = (count: number) => dailyPrices(prices, count, now / 1000);
  const names = { 30: t`30 days`, 90: t`90 days`, 365: t`1 year` };
  return (
    <>
      <div className="offer-lead" lang={lang}>
        <RowPrice offer={offer} />
        <Judgement price={offer.price} prices={prices} now={now / 1000} />
        <p className="buttons">
          <OriginalLink item={item} className="btn btn-main">
            {offer.price === null ? <Trans>Open original</Trans> : <Trans>Open at the shop</Trans>}
          </OriginalLink>
          <Link className="btn" href={`/watches/${offer.watchId}/edit`}>
            <Trans>Change the alert</Trans>
          </Link>
          <Link className="btn" href={`/watches/${offer.watchId}`}>
            <Trans>All results</Trans>
          </Link>
        </p>
      </div>
      {offer.price !== null && !query.isError && (
        <section className="offer-prices" lang={lang}>
          <header>
            <h2>
              <Trans>Price</Trans>
            </h2>
            <fieldset className="segments" aria-label={t`Range`}>
              {ranges.map((one) => (
                <button
                  key={one}
                  type="button"
                  aria-pressed={one === range}
                  onClick={() => setRange(one)}
                >
                  {names[one]}
                </button>
              ))}
            </fieldset>
          </header>
          <PriceChart values={days(range)} currency={offer.currency} now={now} />
        </section>
      )}
    </>
  );
}

interface Judged {
  price: number | null;
  prices: readonly (readonly (number | null)[])[];
  /** In seconds, as those of the prices. */
  now: number;
}

/** One sentence about a price beside those of the last 90 days; its line is there before it is known. */
function Judgement({ price, prices, now }: Judged) {
  const from = now - 90 * 86_400;
  const isLong = (prices[0]?.[0] ?? now) <= from;
  const known = prices
    .filter((_, at) => (prices[at + 1]?.[0] ?? now) > from)
    .flatMap(([, one]) => one ?? []);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return (
    <p className="hint">
      {price === null || known.length === 0 || low === high ? (
        "\u00a0"
      ) : price <= low ? (
        isLong ? (
          <Trans>The lowest price in 90 days</Trans>
        ) : (
          <Trans>The lowest price so far</Trans>
        )
      ) : price < high ? (
        <Trans>Neither the lowest nor the highest price in 90 days</Trans>
      ) : isLong ? (
        <Trans>The highest price in 90 days</Trans>
      ) : (
        <Trans>The highest price so far</Trans>
      )}
    </p>
  );
}
