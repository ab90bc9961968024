import { Trans, useLingui } from "@lingui/react/macro";
import { ArrowDown, ArrowUp } from "lucide-react";
import type { KeyboardEvent, MouseEvent, RefObject } from "react";
import { useMedia } from "@/ui/use-media";
import { type Column, columns, type Entry, nextSort, type Sort } from "./columns";
import { FeedCard, FeedLine } from "./feed-line";
import { extend, howMany, type Selection, toggle, toggleAll } from "./selection";

interface Props {
  entries: readonly Entry[];
  sort: Sort;
  onSort: (sort: Sort) => void;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  headBox: RefObject<HTMLInputElement | null>;
}

/** Subscriptions as a table, or as cards where it is narrow. Checkboxes select rows, with Shift a range. */
export function FeedTable({ entries, sort, onSort, selection, onSelect, headBox }: Props) {
  const { t } = useLingui();
  const isNarrow = useMedia("(max-width: 899px)");
  const shown = entries.map(({ feed }) => feed.id);
  const many = howMany(selection, shown);
  const names: Record<Column, string> = {
    name: t`Name`,
    folder: t`Folder`,
    unread: t`Unread`,
    pace: t`Per week`,
    item: t`Latest article`,
    check: t`Last check`,
    interval: t`Interval`,
    state: t`State`,
  };

  const all = (
    <label className="box">
      <input
        ref={(box) => {
          headBox.current = box;
          if (box) box.indeterminate = many === "some";
        }}
        type="checkbox"
        aria-label={t`Select all`}
        checked={many === "all"}
        onChange={() => onSelect(toggleAll(selection, shown))}
      />
    </label>
  );
  const boxed = (id: string) => ({
    isChosen: selection.ids.has(id),
    // Only the click event knows whether Shift was held.
    onBox: (event: MouseEvent) => onSelect(toggle(selection, shown, id, event.shiftKey)),
    onKey: (event: KeyboardEvent<HTMLElement>) => {
      const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "a") {
        event.preventDefault();
        onSelect(toggleAll({ ids: new Set(), anchor: null }, shown));
      }
      const to = step === 0 ? undefined : shown[shown.indexOf(id) + step];
      if (to === undefined) return;
      event.preventDefault();
      if (event.shiftKey) onSelect(extend(selection, id, to));
      document.getElementById(`box-${to}`)?.focus();
    },
  });

  if (isNarrow) {
    return (
      <>
        <div className="card-head">
          {all}
          <label className="hint" htmlFor="sort">
            <Trans>Sort</Trans>
          </label>
          <select
            id="sort"
            className="select"
            value={sort.by}
            onChange={(event) =>
              onSort(nextSort({ by: "name", down: false }, event.target.value as Column))
            }
          >
            {columns.map((column) => (
              <option key={column} value={column}>
                {names[column]}
              </option>
            ))}
          </select>
        </div>
        <ul className="cards">
          {entries.map((entry) => (
            <FeedCard key={entry.feed.id} entry={entry} {...boxed(entry.feed.id)} />
          ))}
        </ul>
      </>
    );
  }
  return (
    <table className="feeds">
      <thead>
        <tr>
          <th className="box-cell">{all}</th>
          {columns.map((column) => {
            const on = sort.by === column;
            const Arrow = sort.down ? ArrowDown : ArrowUp;
            return (
              <th
                key={column}
                scope="col"
                data-column={column}
                aria-sort={on ? (sort.down ? "descending" : "ascending") : undefined}
              >
                <button type="button" onClick={() => onSort(nextSort(sort, column))}>
                  {names[column]}
                  {on && <Arrow aria-hidden="true" />}
                </button>
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <FeedLine key={entry.feed.id} entry={entry} {...boxed(entry.feed.id)} />
        ))}
      </tbody>
    </table>
  );
}
