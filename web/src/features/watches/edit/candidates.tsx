import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { ScanSearch } from "lucide-react";
import { useId } from "react";
import type { Candidate } from "@/data/watches";
import { Price } from "../price";
import { sourceNames } from "./field-name";

interface Props {
  list: readonly Candidate[];
  chosen: Candidate | null;
  onChoose: (candidate: Candidate) => void;
  canFindAnew: boolean;
  onFindAnew: () => void;
  isLooking: boolean;
}

/** The ways to read the page, each with its first rows. Text that we render: nothing of the page is framed. */
export function Candidates(props: Props) {
  const { list, chosen, onChoose, canFindAnew, onFindAnew, isLooking } = props;
  const { i18n } = useLingui();
  const name = useId();
  return (
    <>
      {list.length > 0 && (
        <fieldset className="candidates">
          <legend>
            <Plural
              value={list.length}
              one="This is what the page lists:"
              other="Which list should be watched?"
            />
          </legend>
          {list.map((one, at) => (
            // The order of the server does not change.
            // biome-ignore lint/suspicious/noArrayIndexKey: they have no id
            <label key={at} className="candidate" data-chosen={one === chosen || undefined}>
              <input
                type="radio"
                name={name}
                checked={one === chosen}
                onChange={() => onChoose(one)}
              />
              <span className="text">
                <span className="name">
                  <Plural value={one.rowsFound} one="# row" other="# rows" />{" "}
                  <span className="hint">{one.adapter ?? i18n._(sourceNames[one.source])}</span>
                </span>
                {one.rows.slice(0, 3).map((row, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: rows of one answer
                  <span key={index} className="sample" dir="auto">
                    <span>{row.name || row.url}</span>
                    {row.price !== null && (
                      <span className="num">
                        <Price minor={row.price} currency={row.currency} isFrom={row.isFrom} />
                      </span>
                    )}
                  </span>
                ))}
              </span>
            </label>
          ))}
        </fieldset>
      )}
      {canFindAnew && (
        <button
          type="button"
          className="btn mt-3"
          aria-disabled={isLooking}
          onClick={() => !isLooking && onFindAnew()}
        >
          <ScanSearch size={16} />
          <Trans>Find the rows again</Trans>
        </button>
      )}
    </>
  );
}
