import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useState } from "react";
import { type ResultFilter, sorts, statuses } from "@/data/watches";
import { minorOf, typedOf } from "@/i18n/money";
import { statusName } from "./status-name";

export const noFilter: ResultFilter = {
  status: "onSale",
  sort: "price",
  q: "",
  min: undefined,
  max: undefined,
};

interface Props {
  filter: ResultFilter;
  currency: string;
  hasPrices: boolean;
  onChange: (filter: ResultFilter) => void;
}

/** Status, words, prices and order of the results. What is typed counts when the person pauses. */
export function ResultFilters({ filter, currency, hasPrices, onChange }: Props) {
  const { t, i18n } = useLingui();
  const [typed, setTyped] = useState({
    q: filter.q,
    min: typedOf(filter.min, currency),
    max: typedOf(filter.max, currency),
  });
  const isWrong = (text: string) => minorOf(text, currency) === null;

  useEffect(() => {
    const timer = setTimeout(() => {
      const min = minorOf(typed.min, currency) ?? undefined;
      const max = minorOf(typed.max, currency) ?? undefined;
      if (typed.q !== filter.q || min !== filter.min || max !== filter.max)
        onChange({ ...filter, q: typed.q, min, max });
    }, 300);
    return () => clearTimeout(timer);
  }, [typed, filter, currency, onChange]);

  const sortNames: Record<ResultFilter["sort"], string> = {
    price: t`Lowest price first`,
    date: t`Newest first`,
    sold: t`Last sold first`,
  };
  const amount = (name: "min" | "max", label: string) => (
    <label className="amount">
      <span>{currency === "" ? label : t`${label} (${currency})`}</span>
      <input
        inputMode="decimal"
        autoComplete="off"
        maxLength={16}
        aria-invalid={isWrong(typed[name]) || undefined}
        value={typed[name]}
        onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
      />
    </label>
  );
  return (
    <div className="result-filters">
      <label className="choice">
        <span>
          <Trans>Status</Trans>
        </span>
        <select
          className="select"
          value={filter.status}
          onChange={(event) =>
            onChange({ ...filter, status: event.target.value as ResultFilter["status"] })
          }
        >
          {statuses.map((status) => (
            <option key={status} value={status}>
              {status === "all"
                ? t({ context: "every status", message: "All" })
                : i18n._(statusName(status, hasPrices))}
            </option>
          ))}
        </select>
      </label>
      <label className="choice">
        <span>
          <Trans>Sort</Trans>
        </span>
        <select
          className="select"
          value={filter.sort}
          onChange={(event) =>
            onChange({ ...filter, sort: event.target.value as ResultFilter["sort"] })
          }
        >
          {sorts.map((sort) => (
            <option key={sort} value={sort}>
              {sortNames[sort]}
            </option>
          ))}
        </select>
      </label>
      <label className="words">
        <span>
          <Trans>Words in the title</Trans>
        </span>
        <input
          type="search"
          maxLength={200}
          value={typed.q}
          onChange={(event) => setTyped({ ...typed, q: event.target.value })}
        />
      </label>
      {amount("min", t`From`)}
      {amount("max", t`Up to`)}
    </div>
  );
}
