import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useId } from "react";
import type { Candidate, Layout, Watch, WatchEvent } from "@/data/watches";
import { intervalName, intervals } from "@/i18n/intervals";
import { eventNames } from "@/i18n/offer";
import { FolderCheckboxes } from "@/ui/folder-checkboxes";
import { Link } from "@/ui/link";
import { allEvents, type Draft } from "./draft";
import { RowCount } from "./preview-table";

interface Props {
  draft: Draft;
  currency: string;
  wrong: ReadonlySet<string>;
  isNameMissing: boolean;
  watch: Watch | null;
  found: Candidate;
  /** False: the pages of single results do not tell when something was sold. Null: not tried yet. */
  canReadDetails: boolean | null;
  onChange: (draft: Draft) => void;
  onLayout: (layout: Layout) => void;
}

/** How many pages are read where the layout does not say. */
const usualPages = 5;
const pageCounts = Array.from({ length: 20 }, (_, at) => at + 1);
const periods = [0, 3, 6, 12, 24, 36, 60];

/** What of the rows is followed, what is announced, and how often the page is checked. */
export function FilterForm({
  draft,
  currency,
  wrong,
  isNameMissing,
  watch,
  found,
  canReadDetails,
  onChange,
  onLayout,
}: Props) {
  const { t, i18n } = useLingui();
  const id = useId();
  const set = (part: Partial<Draft>) => onChange({ ...draft, ...part });
  const text = (
    name: "words" | "without" | "min" | "max" | "wanted",
    label: string,
    hint: string,
  ) => {
    const isAmount = name === "min" || name === "max" || name === "wanted";
    const isWrong = wrong.has(name);
    return (
      <div className="field">
        <label htmlFor={`${id}-${name}`}>
          {isAmount && currency ? t`${label} (${currency})` : label}
        </label>
        <input
          id={`${id}-${name}`}
          inputMode={isAmount ? "decimal" : "text"}
          autoComplete="off"
          maxLength={isAmount ? 16 : 400}
          value={draft[name]}
          aria-invalid={isWrong || undefined}
          aria-describedby={`${id}-${name}-hint`}
          onChange={(event) => set({ [name]: event.target.value })}
        />
        <p id={`${id}-${name}-hint`} className={isWrong ? "wrong" : "hint"}>
          {isWrong
            ? name === "max" && draft.min !== ""
              ? t`Enter an amount above the minimum.`
              : t`Enter an amount, such as 9800.`
            : hint}
        </p>
      </div>
    );
  };
  const toggle = (event: WatchEvent) =>
    set({
      events: draft.events.includes(event)
        ? draft.events.filter((one) => one !== event)
        : [...draft.events, event],
    });
  return (
    <section className="card filter-form" aria-labelledby="followed">
      <h2 id="followed">
        <Trans>Filters and alerts</Trans>
        <span className="count" role="status">
          <RowCount found={found} />
        </span>
      </h2>
      <div className="field">
        <label htmlFor={`${id}-name`}>
          <Trans>Name</Trans>
        </label>
        <input
          id={`${id}-name`}
          maxLength={200}
          autoComplete="off"
          value={draft.name}
          aria-invalid={isNameMissing || undefined}
          aria-describedby={isNameMissing ? `${id}-no-name` : undefined}
          onChange={(event) => set({ name: event.target.value })}
        />
        {isNameMissing && (
          <p id={`${id}-no-name`} className="wrong">
            <Trans>Enter a name.</Trans>
          </p>
        )}
      </div>
      <div className="pairs">
        {text("words", t`Words in the title`, t`All of them must be there.`)}
        {text("without", t`Without the words`, t`Rows with one of them are left out.`)}
        {text("min", t`Lowest price`, t`Leave empty for any price.`)}
        {text("max", t`Highest price`, t`Leave empty for any price.`)}
      </div>
      <fieldset className="events">
        <legend>
          <Trans>Announced in your articles</Trans>
        </legend>
        {allEvents.map((event) => (
          <label key={event} className="check">
            <input
              type="checkbox"
              checked={draft.events.includes(event)}
              onChange={() => toggle(event)}
            />
            <span>{i18n._(eventNames[event])}</span>
          </label>
        ))}
      </fieldset>
      <div className="pairs">
        {text("wanted", t`Wanted price`, t`Announced when something costs this or less.`)}
        <div className="field">
          <label htmlFor={`${id}-interval`}>
            <Trans>Check the page every</Trans>
          </label>
          <select
            id={`${id}-interval`}
            className="select"
            value={draft.interval}
            onChange={(event) => set({ interval: Number(event.target.value) })}
          >
            {intervals
              .filter((minutes) => minutes > 0)
              .map((minutes) => (
                <option key={minutes} value={minutes}>
                  {intervalName(minutes, i18n)}
                </option>
              ))}
          </select>
        </div>
      </div>
      <div className="pairs">
        <div className="field">
          <label htmlFor={`${id}-pages`}>
            <Trans>Pages to read</Trans>
          </label>
          <select
            id={`${id}-pages`}
            className="select"
            value={found.layout.pages ?? usualPages}
            // An adapter says it for all of its watches.
            disabled={found.adapter !== null}
            aria-describedby={`${id}-pages-hint`}
            onChange={(event) => onLayout({ ...found.layout, pages: Number(event.target.value) })}
          >
            {pageCounts.map((count) => (
              <option key={count}>{count}</option>
            ))}
          </select>
          <p id={`${id}-pages-hint`} className="hint">
            {found.adapter === null
              ? t`Of a list with several pages, the first ones.`
              : t`Set by the adapter`}
          </p>
        </div>
        <div className="field">
          <label htmlFor={`${id}-months`}>
            <Trans>Keep prices and past results</Trans>
          </label>
          <select
            id={`${id}-months`}
            className="select"
            value={draft.months}
            onChange={(event) => set({ months: Number(event.target.value) })}
          >
            {[...new Set([...periods, draft.months])].map((months) => (
              <option key={months} value={months}>
                {months === 0
                  ? t`Forever`
                  : t`${plural(months, { one: "# month", other: "# months" })}`}
              </option>
            ))}
          </select>
        </div>
      </div>
      {canReadDetails === false ? (
        <p className="hint" role="status">
          <Trans>The pages of single entries do not tell when something was sold.</Trans>
        </p>
      ) : (
        <label className="check">
          <input
            type="checkbox"
            checked={draft.details}
            onChange={() => set({ details: !draft.details })}
          />
          <span>
            <Trans>Exact dates of sales</Trans>
            <span className="hint">
              <Trans>Also reads the pages of single entries, a few at a time.</Trans>
            </span>
          </span>
        </label>
      )}
      {watch ? (
        <p className="hint">
          <Link href={`/subscriptions/${watch.feedId}`}>
            <Trans>Folders and notifications</Trans>
          </Link>
        </p>
      ) : (
        <FolderCheckboxes
          membership={(folder) => (draft.folders.includes(folder) ? "all" : "none")}
          onTick={(folder, isOn) =>
            set({
              folders: isOn
                ? [...draft.folders, folder]
                : draft.folders.filter((one) => one !== folder),
            })
          }
        />
      )}
    </section>
  );
}
