import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { ChevronDown, ChevronRight, ExternalLink } from "lucide-react";
import { Fragment, useState } from "react";
import type { Result, Watch } from "@/data/watches";
import { absoluteTime, relativeTime } from "@/i18n/format";
import { textLang } from "@/i18n/text-lang";
import { useNow } from "@/i18n/use-now";
import { height, pricePath } from "./chart";
import { Price } from "./price";
import { ResultDetail } from "./result-detail";
import { statusName } from "./status-name";

interface Props {
  watch: Watch;
  items: readonly Result[];
  /** Null where none is marked. */
  lowest: Watch["lowest"];
  /** When the prices were last seen. */
  asOf: string | null;
}

export function ResultTable({ watch, items, lowest, asOf }: Props) {
  const { t } = useLingui();
  const [opened, setOpened] = useState<string | null>(null);
  const hasSellers = items.some((one) => one.sellerId || one.sellerType);
  const name = t({ context: "of a watch", message: "Results" });
  const until = Math.floor((asOf ? Date.parse(asOf) : Date.now()) / 1000);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll a table that is too wide
    <section className="table-box" tabIndex={0} aria-label={name}>
      <table className="results" data-sellers={hasSellers || undefined}>
        <thead>
          <tr>
            <th scope="col" className="num">
              <Trans context="of a thing">Price</Trans>
            </th>
            <th scope="col">
              <Trans>Title</Trans>
            </th>
            <th scope="col" className="roomy">
              <Trans>Status</Trans>
            </th>
            <th scope="col" className="roomy">
              <Trans>Price history</Trans>
            </th>
            {hasSellers && (
              <th scope="col" className="roomy">
                <Trans>Seller</Trans>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {items.map((result) => {
            const isOpen = opened === result.id;
            return (
              <Fragment key={result.id}>
                <ResultRow
                  result={result}
                  isOpen={isOpen}
                  isLowest={lowest?.resultId === result.id}
                  hasSeller={hasSellers}
                  until={until}
                  onToggle={() => setOpened(isOpen ? null : result.id)}
                />
                {isOpen && (
                  <tr className="more" id={`result-${result.id}`}>
                    <td colSpan={hasSellers ? 5 : 4}>
                      <ResultDetail watch={watch} result={result} />
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

interface RowProps {
  result: Result;
  isOpen: boolean;
  isLowest: boolean;
  hasSeller: boolean;
  until: number;
  onToggle: () => void;
}

function ResultRow({ result, isOpen, isLowest, hasSeller, until, onToggle }: RowProps) {
  const { t, i18n } = useLingui();
  const { id, name, price, isFrom, currency, url, sellerId, sellerType, prices } = result;
  const title = name || result.externalId || t`Untitled`;
  const lang = textLang("", title, i18n.locale);
  return (
    <tr data-status={result.status} data-open={isOpen || undefined}>
      <td className="num price">
        {isLowest && (
          <span className="best">
            <Trans context="mark of the cheapest">Lowest</Trans>
          </span>
        )}
        {price === null ? "–" : <Price minor={price} currency={currency} isFrom={isFrom} />}
      </td>
      <th scope="row">
        <span className="title">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={isOpen ? `result-${id}` : undefined}
            onClick={onToggle}
          >
            {isOpen ? <ChevronDown /> : <ChevronRight />}
            <span dir="auto" lang={lang}>
              {title}
            </span>
          </button>
          {url && (
            <a
              className="icon-btn"
              href={url}
              target="_blank"
              rel="noopener noreferrer"
              aria-label={t`Open ${title}`}
            >
              <ExternalLink />
            </a>
          )}
        </span>
        <span className="narrow">
          <Status result={result} />
        </span>
      </th>
      <td className="roomy">
        <Status result={result} />
      </td>
      <td className="roomy">
        <svg
          className="spark"
          viewBox={`0 0 100 ${height}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path d={pricePath(prices, until)} />
        </svg>
        <span className="sr-only">
          {prices.length > 1 && (
            <Plural value={prices.length - 1} one="# price change" other="# price changes" />
          )}
        </span>
      </td>
      {hasSeller && (
        <td className="roomy seller">
          <span dir="auto">{sellerId}</span>
          {sellerType && (
            <span className="hint">
              {sellerType === "shop" ? <Trans>Shop</Trans> : <Trans>Private</Trans>}
            </span>
          )}
        </td>
      )}
    </tr>
  );
}

/** On sale, sold or gone, and since when. */
function Status({ result }: { result: Result }) {
  const { t, i18n } = useLingui();
  const now = useNow();
  const { status, statusSince, isEstimated, price } = result;
  const since = statusSince ? relativeTime(statusSince, now, i18n.locale) : "";
  return (
    <span className="status" data-status={status}>
      <span className="word">{i18n._(statusName(status, price !== null))}</span>
      {statusSince && (
        <time dateTime={statusSince} title={absoluteTime(statusSince, i18n.locale)}>
          {isEstimated ? t`about ${since}` : since}
        </time>
      )}
    </span>
  );
}
