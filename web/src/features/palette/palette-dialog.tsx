import { Trans, useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { search } from "@/data/name-match";
import { holdKeys } from "@/keys/held";
import { Dialog } from "@/ui/dialog";
import { showToast } from "@/ui/toasts";
import { type Entry, useEntries, useSearchEntry } from "./use-entries";
import "./palette.css";

/** Entries shown at most. */
const maxShown = 60;

/** Goes to a feed, folder or label, searches articles, or runs a command, by a few letters of its name. */
export function PaletteDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const all = useEntries();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const searching = useSearchEntry(text);
  const found = useMemo(
    () => [...search(all, text).slice(0, maxShown), ...searching],
    [all, text, searching],
  );
  const chosen = found[at];

  useLayoutEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);

  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    // Keys from now on are meant for what the entry opens.
    const release = holdKeys(() => undefined);
    // By then the dialog is closed and the focus restored.
    requestAnimationFrame(() => {
      let done: unknown;
      flushSync(() => {
        done = entry.run();
      });
      release();
      if (done === false) showToast(t`Not available here`);
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((at + step + found.length) % Math.max(1, found.length));
    else if (event.key === "Enter") run(chosen);
    else return;
    event.preventDefault();
  };

  return (
    <Dialog title={t`Jump to…`} onClose={onClose}>
      <input
        className="palette-field"
        data-first=""
        role="combobox"
        aria-label={t`Feeds, folders, labels, commands`}
        placeholder={t`Feeds, folders, labels, commands`}
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={chosen ? `${id}-${at}` : undefined}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      {found.length === 0 && (
        <p className="palette-none">
          <Trans>No results</Trans>
        </p>
      )}
      <span className="sr-only" role="status">
        {found.length === 0 ? t`No results` : ""}
      </span>
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label={t`Results`}
        className="palette options"
      >
        {found.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
          <div
            key={entry.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            onPointerMove={() => setAt(index)}
            onClick={() => run(entry)}
          >
            {entry.icon}
            <span className="name" dir="auto" lang={entry.lang}>
              {entry.name}
            </span>
            {entry.note !== "" &&
              (entry.isKey ? (
                <kbd>{entry.note}</kbd>
              ) : (
                <span className="note-text">{entry.note}</span>
              ))}
          </div>
        ))}
      </div>
    </Dialog>
  );
}
