import { Trans } from "@lingui/react/macro";
import type { Item, ItemSummary } from "@/data/types";
import { type Offer, useResult } from "@/data/watches";
import { money } from "@/i18n/money";
import { useNow } from "@/i18n/use-now";
import { Sparkline } from "@/ui/sparkline";
import { dailyPrices } from "./daily-prices";

const days = 90;

interface Props {
  item: ItemSummary | Item;
  offer: Offer;
  showImages: boolean;
  lang: string;
}

/** The article of a watch: the prices of the last 90 days, the picture, and who sells it. Its price is in the heading. */
export function OfferArticle({ item, offer, showImages, lang }: Props) {
  const now = useNow();
  const prices = useResult(offer.watchId, offer.resultId).data?.result.prices;
  const values = prices ? dailyPrices(prices, days, now / 1000) : [];
  const known = values.filter((one) => one !== null);
  const text = (price: number) => money(price, offer.currency, lang);
  const [low, high] = [text(Math.min(...known)), text(Math.max(...known))];
  return (
    <div className="offer-article">
      {known.length > 1 && (
        <div className="prices" lang={lang}>
          <Sparkline values={values} />
          <p>
            {low === high ? (
              <Trans>{low} throughout the last 90 days</Trans>
            ) : (
              <Trans>
                {low} to {high} in the last 90 days
              </Trans>
            )}
          </p>
        </div>
      )}
      {showImages && item.imageUrl && (
        <img src={item.imageUrl} alt="" referrerPolicy="no-referrer" decoding="async" />
      )}
      {item.author && <p dir="auto">{item.author}</p>}
    </div>
  );
}
