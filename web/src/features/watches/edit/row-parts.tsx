import { Trans, useLingui } from "@lingui/react/macro";
import { Check, ChevronLeft, ChevronRight } from "lucide-react";
import { useRef, useState } from "react";
import type { Layout } from "@/data/watches";
import { IconButton } from "@/ui/icon-button";
import { MenuItem, MenuList } from "@/ui/menu";
import { fieldTitles } from "./field-name";
import { assign, type FieldName, fieldNames, type Part } from "./fields";

interface Props {
  parts: readonly Part[];
  /** Rows that are known. */
  count: number;
  layout: Layout;
  onAssign: (layout: Layout) => void;
}

/** A sample row, cut into its parts: choosing one says which field it is. */
export function RowParts({ parts, count, layout, onAssign }: Props) {
  const { t, i18n } = useLingui();
  const [row, setRow] = useState(0);
  const [opened, setOpened] = useState<string | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const most = Math.min(count, Math.max(1, ...parts.map((part) => part.samples.length)));
  const at = Math.min(row, most - 1);
  const missing = fieldNames.filter((name) => !parts.some((part) => part.fields.includes(name)));
  const names = (list: readonly FieldName[]) =>
    new Intl.ListFormat(i18n.locale, { type: "conjunction" }).format(
      list.map((name) => i18n._(fieldTitles[name])),
    );

  const close = (giveBack = true) => {
    setOpened(null);
    if (giveBack) opener.current?.focus();
  };
  const choose = (part: Part, name: FieldName) => {
    close();
    onAssign(assign(layout, name, part.fields.includes(name) ? null : part.place));
  };

  return (
    <section className="row-parts" aria-labelledby="parts">
      <header>
        <h3 id="parts">
          <Trans>Fields</Trans>
        </h3>
        <IconButton
          label={t`Previous row`}
          icon={<ChevronLeft />}
          disabled={at === 0}
          onClick={() => setRow(at - 1)}
        />
        <span className="count" role="status">
          <Trans>
            Row {at + 1} of {most}
          </Trans>
        </span>
        <IconButton
          label={t`Next row`}
          icon={<ChevronRight />}
          disabled={at >= most - 1}
          onClick={() => setRow(at + 1)}
        />
      </header>
      <p className="hint">
        <Trans>Choose a part of the row to say which field it is.</Trans>
      </p>
      <ul className="parts">
        {parts.map((part) => {
          const said = part.samples[at] ?? "";
          const isOpen = opened === part.key;
          return (
            <li key={part.key}>
              <button
                ref={isOpen ? opener : undefined}
                type="button"
                className="part"
                data-used={part.fields.length > 0 || undefined}
                aria-haspopup="menu"
                aria-expanded={isOpen}
                onClick={(event) => {
                  opener.current = event.currentTarget;
                  setOpened(isOpen ? null : part.key);
                }}
              >
                <span className="said" dir="auto">
                  {said === "" ? <Trans>empty in this row</Trans> : shortened(said)}
                </span>{" "}
                <span className="field-name">
                  {part.fields.length > 0 ? names(part.fields) : t`unused`}
                </span>
              </button>
              {isOpen && (
                <MenuList label={t`Use as`} opener={opener.current} onClose={close}>
                  {fieldNames.map((name) => (
                    <MenuItem
                      key={name}
                      role="menuitemcheckbox"
                      aria-checked={part.fields.includes(name)}
                      icon={part.fields.includes(name) ? <Check /> : <span className="no-icon" />}
                      onClick={() => choose(part, name)}
                    >
                      {i18n._(fieldTitles[name])}
                    </MenuItem>
                  ))}
                </MenuList>
              )}
            </li>
          );
        })}
      </ul>
      {missing.length > 0 && (
        <p className="hint">
          <Trans>Not assigned: {names(missing)}</Trans>
        </p>
      )}
    </section>
  );
}

/** The end of an address says more than its beginning. */
function shortened(text: string): string {
  if (!/^https?:/.test(text)) return text.length > 80 ? `${text.slice(0, 79)}…` : text;
  return text.length > 40 ? `…${text.slice(-39)}` : text;
}
