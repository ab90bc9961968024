import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { ChevronDown, ChevronRight, ExternalLink } from "lucide-react";
import { useState } from "react";
import type { Result, Watch } from "@/data/watches";
import { absoluteTime, relativeTime } from "@/i18n/format";
import { textLang } from "@/i18n/text-lang";
import { useNow } from "@/i18n/use-now";
import { height, pricePath } from "@/ui/chart";
import { type DataColumns, DataTable } from "@/ui/data-table";
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
  const until = Math.floor((asOf ? Date.parse(asOf) : Date.now()) / 1000);
  const columns: DataColumns<Result> = [
    {
      title: t({ context: "of a thing", message: "Price" }),
      className: "num",
      cell: ({ id, price, currency, isFrom }) => (
        <>
          {lowest?.resultId === id && (
            <span className="best">
              <Trans context="mark of the cheapest">Lowest</Trans>
            </span>
          )}
          {price === null ? "–" : <Price minor={price} currency={currency} isFrom={isFrom} />}
        </>
      ),
      attributes: () => ({ className: "num price" }),
    },
    {
      title: t`Title`,
      isName: true,
      cell: (result) => (
        <>
          <Title
            result={result}
            isOpen={opened === result.id}
            onToggle={() => setOpened(opened === result.id ? null : result.id)}
          />
          <span className="narrow">
            <Status result={result} />
          </span>
        </>
      ),
    },
    { title: t`Status`, className: "roomy", cell: (result) => <Status result={result} /> },
    {
      title: t`Price history`,
      className: "roomy",
      cell: ({ prices }) => (
        <>
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
        </>
      ),
    },
    hasSellers && {
      title: t`Seller`,
      className: "roomy",
      cell: ({ sellerId, sellerType }) => (
        <>
          <span dir="auto">{sellerId}</span>
          {sellerType && (
            <span className="hint">
              {sellerType === "shop" ? <Trans>Shop</Trans> : <Trans>Private</Trans>}
            </span>
          )}
        </>
      ),
      attributes: () => ({ className: "roomy seller" }),
    },
  ];
  return (
    <DataTable
      className="results"
      label={t({ context: "of a watch", message: "Results" })}
      columns={columns}
      rows={items}
      keyOf={({ id }) => id}
      rowAttributes={({ id, status }) => ({
        "data-status": status,
        "data-open": opened === id || undefined,
      })}
      more={(result) =>
        opened === result.id
          ? { id: rowId(result), content: <ResultDetail watch={watch} result={result} /> }
          : null
      }
    />
  );
}

const rowId = ({ id }: Result) => `result-${id}`;

interface TitleProps {
  result: Result;
  isOpen: boolean;
  onToggle: () => void;
}

function Title({ result, isOpen, onToggle }: TitleProps) {
  const { t, i18n } = useLingui();
  const { name, externalId, url } = result;
  const title = name || externalId || t`Untitled`;
  return (
    <span className="title">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? rowId(result) : undefined}
        onClick={onToggle}
      >
        {isOpen ? <ChevronDown /> : <ChevronRight />}
        <span dir="auto" lang={textLang("", title, i18n.locale)}>
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
