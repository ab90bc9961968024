import { Trans, useLingui } from "@lingui/react/macro";
import { Plus, RotateCcw } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { type Command, type CommandId, commandById, keyLabel } from "@/keys/commands";
import type { KeyMap } from "@/keys/keymap";
import { IconButton } from "@/ui/icon-button";
import { Presses } from "@/ui/key-hint";
import { holdersOf } from "./binding";
import { KeyCapture } from "./key-capture";

interface Props {
  command: Command;
  map: KeyMap;
  isOwn: boolean;
  onBind: (id: CommandId, keys: string, instead: string | null) => void;
  onUnbind: (id: CommandId, keys: string) => void;
  onReset: (id: CommandId) => void;
}

/** What a row is about to do: listen for a key, or ask about one that another command has. */
type Deed =
  | { kind: "listen"; instead: string | null }
  | { kind: "ask"; instead: string | null; keys: string; holders: CommandId[] };

export function KeyRow({ command, map, isOwn, onBind, onUnbind, onReset }: Props) {
  const { t, i18n } = useLingui();
  const [deed, setDeed] = useState<Deed | null>(null);
  const row = useRef<HTMLLIElement>(null);
  const wasBusy = useRef(false);
  const name = i18n._(command.label);
  const keys = map.get(command.id) ?? [];

  // The focus stays in the row, whatever became of its buttons.
  useEffect(() => {
    if (deed?.kind === "ask") row.current?.querySelector<HTMLElement>("[data-take]")?.focus();
    if (!deed && wasBusy.current) row.current?.querySelector<HTMLElement>("button")?.focus();
    wasBusy.current = deed !== null;
  }, [deed]);

  const give = (pressed: string, instead: string | null) => {
    onBind(command.id, pressed, instead);
    setDeed(null);
  };
  const hear = (pressed: string, instead: string | null) => {
    const holders = holdersOf(map, pressed, command.id);
    if (holders.length === 0) give(pressed, instead);
    else setDeed({ kind: "ask", instead, keys: pressed, holders });
  };
  const instead = deed?.instead ?? null;
  const holders = deed?.kind === "ask" ? deed.holders : [];
  const names = holders.map((id) => i18n._(commandById(id).label)).join(", ");

  return (
    <li className="setting" ref={row} data-command={command.id}>
      <span className="text">{name}</span>
      {deed?.kind === "listen" ? (
        <KeyCapture
          onKeys={(pressed) => hear(pressed, instead)}
          onCancel={() => setDeed(null)}
          onRemove={
            instead === null
              ? undefined
              : () => {
                  onUnbind(command.id, instead);
                  setDeed(null);
                }
          }
        />
      ) : (
        <span className="keys">
          {keys.map((one) => (
            <button
              key={one}
              type="button"
              className="key"
              aria-label={t`Change the key ${shownKeys(one)} of: ${name}`}
              title={t`Change`}
              onClick={() => setDeed({ kind: "listen", instead: one })}
            >
              <Presses keys={one} />
            </button>
          ))}
          <IconButton
            label={t`Add a key for: ${name}`}
            icon={<Plus />}
            onClick={() => setDeed({ kind: "listen", instead: null })}
          />
          {isOwn && (
            <IconButton
              label={t`The usual keys for: ${name}`}
              icon={<RotateCcw />}
              onClick={() => {
                onReset(command.id);
                row.current?.querySelector<HTMLElement>("button")?.focus();
              }}
            />
          )}
        </span>
      )}
      {deed?.kind === "ask" && (
        <div
          className="conflict"
          role="alert"
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            setDeed(null);
          }}
        >
          <p>
            <Presses keys={deed.keys} /> <Trans>is taken by: {names}.</Trans>
          </p>
          <button
            data-take
            type="button"
            className="btn"
            onClick={() => give(deed.keys, deed.instead)}
          >
            <Trans>Take it away there</Trans>
          </button>
          <button
            type="button"
            className="btn"
            onClick={() => setDeed({ kind: "listen", instead: deed.instead })}
          >
            <Trans>Another key</Trans>
          </button>
          <button type="button" className="btn" onClick={() => setDeed(null)}>
            <Trans>Cancel</Trans>
          </button>
        </div>
      )}
    </li>
  );
}

/** As shown: "g a", "⇧A". */
function shownKeys(keys: string): string {
  return keys.split(" ").map(keyLabel).join(" ");
}
