import { Trans, useLingui } from "@lingui/react/macro";
import { readerPath } from "@/data/routes";
import { type Result, useResult, type Watch } from "@/data/watches";
import { absoluteTime } from "@/i18n/format";
import { itemName } from "@/i18n/item-name";
import { money, moneyChange } from "@/i18n/money";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";
import { OfferLine } from "@/ui/offer-line";
import { useDelayed } from "@/ui/use-delayed";

/** The prices of a result, and the articles that announced its changes. */
export function ResultDetail({ watch, result }: { watch: Watch; result: Result }) {
  const { i18n } = useLingui();
  const query = useResult(watch.id, result.id);
  const isSlow = useDelayed(query.isPending);
  const { prices, currency, firstSeenAt } = query.data?.result ?? result;
  const events = query.data?.events ?? [];
  const time = (iso: string) => absoluteTime(iso, i18n.locale);
  const newestFirst = prices.map((_, at) => prices.length - 1 - at);
  return (
    <div className="result-detail">
      <section>
        <h3>
          <Trans>Prices</Trans>
        </h3>
        <ol>
          {newestFirst.map((at) => {
            const [since = 0, price = null] = prices[at] ?? [];
            const before = prices[at - 1]?.[1] ?? null;
            const iso = new Date((since ?? 0) * 1000).toISOString();
            return (
              <li key={at}>
                <span className="num">
                  {price === null ? <Trans>no price</Trans> : money(price, currency, i18n.locale)}
                </span>
                {price !== null && before !== null && (
                  <span className="change" data-way={price < before ? "down" : "up"}>
                    {moneyChange(price - before, currency, i18n.locale)}
                  </span>
                )}
                <time dateTime={iso}>{time(iso)}</time>
              </li>
            );
          })}
        </ol>
        {firstSeenAt && (
          <p className="hint">
            <Trans>First seen {time(firstSeenAt)}</Trans>
          </p>
        )}
      </section>
      <section>
        <h3>
          <Trans>Articles about it</Trans>
        </h3>
        {query.isError ? (
          <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
        ) : query.isPending ? (
          <p className="hint" role="status">
            {isSlow && <Trans>Loading…</Trans>}
          </p>
        ) : events.length === 0 ? (
          <p className="hint">
            <Trans>No change was announced.</Trans>
          </p>
        ) : (
          <ol>
            {events.map((item) => (
              <li key={item.id}>
                <Link href={readerPath({ kind: "feed", id: item.feedId }, "all", item.id)}>
                  {item.offer ? <OfferLine offer={item.offer} /> : itemName(item)}
                </Link>
                <time dateTime={item.publishedAt}>{time(item.publishedAt)}</time>
              </li>
            ))}
          </ol>
        )}
      </section>
    </div>
  );
}
