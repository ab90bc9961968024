import { type ComponentProps, Fragment, type ReactNode } from "react";
import "./data-table.css";

export interface DataColumn<Row> {
  /** Identifies the column where the title is no text. */
  id?: string;
  title: ReactNode;
  cell: (row: Row) => ReactNode;
  /** It names the row. */
  isName?: boolean;
  /** "num", "roomy" (left out where it is narrow) and those of the screen. */
  className?: string;
  /** Further attributes of a cell. */
  attributes?: (row: Row) => Attributes;
}
/** The columns of a table; false leaves one out. */
export type DataColumns<Row> = readonly (DataColumn<Row> | false)[];
type Attributes = Omit<ComponentProps<"td">, "ref"> & Record<`data-${string}`, unknown>;

interface Props<Row> {
  columns: DataColumns<Row>;
  rows: readonly Row[];
  keyOf: (row: Row, at: number) => string | number;
  className?: string;
  caption?: ReactNode;
  /** It may be too wide, and scrolls then. */
  scrolls?: boolean;
  /** It scrolls, also by the keyboard, as a region of this name. */
  label?: string;
  rowAttributes?: (row: Row) => Record<`data-${string}`, unknown>;
  /** A row below a row, with everything about it. */
  more?: (row: Row) => { id: string; content: ReactNode } | null;
}

/** Rows with a heading for each column. */
export function DataTable<Row>(props: Props<Row>) {
  const { rows, keyOf, className = "", caption, scrolls, label, rowAttributes, more } = props;
  const columns = props.columns.filter((column) => column !== false);
  const idOf = ({ id, title }: DataColumn<Row>) => id ?? String(title);
  const renderRow = (row: Row) => (
    <tr {...rowAttributes?.(row)}>
      {columns.map((column) => {
        const { isName, cell, attributes } = column;
        const shared = { className: column.className, ...attributes?.(row) };
        return isName ? (
          <th key={idOf(column)} scope="row" {...shared}>
            {cell(row)}
          </th>
        ) : (
          <td key={idOf(column)} {...shared}>
            {cell(row)}
          </td>
        );
      })}
    </tr>
  );
  const table = (
    <table className={`data-table ${className}`.trim()}>
      {caption}
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={idOf(column)} scope="col" className={column.className}>
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => {
          const below = more?.(row);
          return (
            <Fragment key={keyOf(row, at)}>
              {renderRow(row)}
              {below && (
                <tr className="more" id={below.id}>
                  <td colSpan={columns.length}>{below.content}</td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
  if (label === undefined) return scrolls ? <div className="table-box">{table}</div> : table;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll a table that is too wide
    <section className="table-box" tabIndex={0} aria-label={label}>
      {table}
    </section>
  );
}
