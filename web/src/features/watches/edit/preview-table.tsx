import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { LoaderCircle } from "lucide-react";
import { useState } from "react";
import type { Candidate, PreviewRow } from "@/data/watches";
import { clockTime } from "@/i18n/clock-time";
import { useNow } from "@/i18n/use-now";
import { type DataColumns, DataTable } from "@/ui/data-table";
import { Price } from "../price";
import { statusName } from "../status-name";
import { rowWarnings } from "./field-name";

/** Rows shown at first. */
const first = 10;

/** What would be stored, row by row, with what is missing in it. */
export function PreviewTable({ found, isBusy }: { found: Candidate; isBusy: boolean }) {
  const { t, i18n } = useLingui();
  const now = useNow();
  const [isWhole, setWhole] = useState(false);
  const { rows } = found;
  const shown = isWhole ? rows : rows.slice(0, first);
  const has = (test: (row: PreviewRow) => unknown) => rows.some((row) => Boolean(test(row)));
  const hasPrices = has((row) => row.priceText !== "" || row.price !== null);
  const notes = ({ isFitting, warnings }: PreviewRow) => [
    ...(isFitting ? [] : [t`left out by the filters`]),
    ...warnings
      .filter((one) => one !== "no_price" || hasPrices)
      .map((one) => i18n._(rowWarnings[one])),
  ];
  const columns: DataColumns<PreviewRow> = [
    hasPrices && {
      title: t({ context: "of a thing", message: "Price" }),
      className: "num",
      cell: ({ price, priceText, currency, isFrom }) =>
        price === null ? (
          priceText || "–"
        ) : (
          <Price minor={price} currency={currency} isFrom={isFrom} />
        ),
    },
    {
      title: t`Title`,
      isName: true,
      cell: ({ name }) => name || "–",
      attributes: () => ({ dir: "auto" }),
    },
    has((row) => row.date) && {
      title: t`Date`,
      cell: ({ date }) => (date ? clockTime(date, now, i18n.locale) : "–"),
    },
    has((row) => row.status) && {
      title: t`Status`,
      cell: ({ status, price }) => (status ? i18n._(statusName(status, price !== null)) : "–"),
    },
    has((row) => row.seller) && {
      title: t`Seller`,
      cell: ({ seller }) => seller || "–",
      attributes: () => ({ dir: "auto" }),
    },
    {
      title: t`Notes`,
      cell: (row) => notes(row).join(", "),
      attributes: ({ warnings }) => ({
        className: "notes",
        "data-bad": warnings.length > 0 || undefined,
      }),
    },
  ];
  return (
    <section className="card table-card" aria-labelledby="preview" aria-busy={isBusy}>
      <h2 id="preview">
        <Trans>Preview</Trans>
        <span className="count">
          <RowCount found={found} />
        </span>
        {isBusy && <LoaderCircle className="spin" size={16} />}
      </h2>
      {rows.length === 0 ? (
        <p className="hint">
          <Trans>No row was found. Choose another list, or check the address.</Trans>
        </p>
      ) : (
        <DataTable
          className="results"
          label={t`Preview`}
          columns={columns}
          rows={shown}
          keyOf={(_, at) => at}
          rowAttributes={({ isFitting }) => ({ "data-out": !isFitting || undefined })}
        />
      )}
      {shown.length < rows.length && (
        <button type="button" className="btn mt-3" onClick={() => setWhole(true)}>
          <Plural value={rows.length} one="Show # row" other="Show # rows" />
        </button>
      )}
    </section>
  );
}

/** How many rows are followed, of how many. */
export function RowCount({ found: { rowsFound, rowsFitting } }: { found: Candidate }) {
  return rowsFitting < rowsFound ? (
    <Trans>
      {rowsFitting} of {rowsFound} rows
    </Trans>
  ) : (
    <Plural value={rowsFound} one="# row" other="# rows" />
  );
}
