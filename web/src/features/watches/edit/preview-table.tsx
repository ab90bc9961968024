import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { LoaderCircle } from "lucide-react";
import { useState } from "react";
import type { Candidate, PreviewRow } from "@/data/watches";
import { clockTime } from "@/i18n/clock-time";
import { useNow } from "@/i18n/use-now";
import { Price } from "../price";
import { statusName } from "../status-name";
import { rowWarnings } from "./field-name";

/** Rows shown at first. */
const first = 10;

/** What would be stored, row by row, with what is missing in it. */
export function PreviewTable({ found, isBusy }: { found: Candidate; isBusy: boolean }) {
  const { t } = useLingui();
  const [isWhole, setWhole] = useState(false);
  const { rows } = found;
  const shown = isWhole ? rows : rows.slice(0, first);
  const has = (test: (row: PreviewRow) => unknown) => rows.some((row) => Boolean(test(row)));
  const columns = {
    price: has((row) => row.priceText !== "" || row.price !== null),
    date: has((row) => row.date),
    status: has((row) => row.status),
    seller: has((row) => row.seller),
  };
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
          <Trans>No row was found.</Trans>
        </p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll a table that is too wide
        <section className="table-box" tabIndex={0} aria-label={t`Preview`}>
          <table className="results">
            <thead>
              <tr>
                {columns.price && (
                  <th scope="col" className="num">
                    <Trans context="of a thing">Price</Trans>
                  </th>
                )}
                <th scope="col">
                  <Trans>Title</Trans>
                </th>
                {columns.date && (
                  <th scope="col">
                    <Trans>Date</Trans>
                  </th>
                )}
                {columns.status && (
                  <th scope="col">
                    <Trans>Status</Trans>
                  </th>
                )}
                {columns.seller && (
                  <th scope="col">
                    <Trans>Seller</Trans>
                  </th>
                )}
                <th scope="col">
                  <Trans>Notes</Trans>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((row, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows of one answer
                <Row key={at} row={row} columns={columns} />
              ))}
            </tbody>
          </table>
        </section>
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

type Columns = Record<"price" | "date" | "status" | "seller", boolean>;

function Row({ row, columns }: { row: PreviewRow; columns: Columns }) {
  const { t, i18n } = useLingui();
  const now = useNow();
  const { price, priceText, date, status, isFitting, warnings } = row;
  const notes = [
    ...(isFitting ? [] : [t`left out by the filters`]),
    ...warnings
      .filter((one) => one !== "no_price" || columns.price)
      .map((one) => i18n._(rowWarnings[one])),
  ];
  return (
    <tr data-out={!isFitting || undefined}>
      {columns.price && (
        <td className="num">
          {price === null ? (
            priceText || "–"
          ) : (
            <Price minor={price} currency={row.currency} isFrom={row.isFrom} />
          )}
        </td>
      )}
      <th scope="row" dir="auto">
        {row.name || "–"}
      </th>
      {columns.date && <td>{date ? clockTime(date, now, i18n.locale) : "–"}</td>}
      {columns.status && <td>{status ? i18n._(statusName(status, price !== null)) : "–"}</td>}
      {columns.seller && <td dir="auto">{row.seller || "–"}</td>}
      <td className="notes" data-bad={warnings.length > 0 || undefined}>
        {notes.join(", ")}
      </td>
    </tr>
  );
}
