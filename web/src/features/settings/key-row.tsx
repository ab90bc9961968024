import { Trans, useLingui } from "@lingui/react/macro";
import { Plus, RotateCcw } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { commandName } from "@/keys/command-names";
import { type CommandId, keyLabel } from "@/keys/commands";
import type { KeyMap } from "@/keys/keymap";
import { IconButton } from "@/ui/icon-button";
import { Presses } from "@/ui/key-hint";
import { conflictsOf } from "./binding";
import { KeyCapture } from "./key-capture";

interface Props {
  command: CommandId;
  name: string;
  map: KeyMap;
  isOwn: boolean;
  onBind: (id: CommandId, keys: string, instead: string | null) => void;
  onUnbind: (id: CommandId, keys: string) => void;
  onReset: (id: CommandId) => void;
}

/** A row captures a key, or asks about one that other commands have. */
type Mode =
  | { kind: "listen"; instead: string | null }
  | { kind: "ask"; instead: string | null; keys: string; conflicts: CommandId[] };

export function KeyRow({ command, name, map, isOwn, onBind, onUnbind, onReset }: Props) {
  const { t, i18n } = useLingui();
  const [mode, setMode] = useState<Mode | null>(null);
  const row = useRef<HTMLLIElement>(null);
  const wasBusy = useRef(false);
  const keys = map.get(command) ?? [];

  // The focus stays in the row when its buttons change.
  useEffect(() => {
    if (mode?.kind === "ask") row.current?.querySelector<HTMLElement>("[data-take]")?.focus();
    if (!mode && wasBusy.current) row.current?.querySelector<HTMLElement>("button")?.focus();
    wasBusy.current = mode !== null;
  }, [mode]);

  const assign = (pressed: string, instead: string | null) => {
    onBind(command, pressed, instead);
    setMode(null);
  };
  const capture = (pressed: string, instead: string | null) => {
    const conflicts = conflictsOf(map, pressed, command);
    if (conflicts.length === 0) assign(pressed, instead);
    else setMode({ kind: "ask", instead, keys: pressed, conflicts });
  };
  const instead = mode?.instead ?? null;
  const conflicts = mode?.kind === "ask" ? mode.conflicts : [];
  const names = conflicts.map((id) => i18n._(commandName(id))).join(", ");

  return (
    <li className="setting" ref={row} data-command={command}>
      <span className="text">{name}</span>
      {mode?.kind === "listen" ? (
        <KeyCapture
          onKeys={(pressed) => capture(pressed, instead)}
          onCancel={() => setMode(null)}
          onRemove={
            instead === null
              ? undefined
              : () => {
                  onUnbind(command, instead);
                  setMode(null);
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
              aria-label={t`Change shortcut ${shownKeys(one)}: ${name}`}
              title={t`Change`}
              onClick={() => setMode({ kind: "listen", instead: one })}
            >
              <Presses keys={one} />
            </button>
          ))}
          <IconButton
            label={t`Add shortcut: ${name}`}
            icon={<Plus />}
            onClick={() => setMode({ kind: "listen", instead: null })}
          />
          {isOwn && (
            <IconButton
              label={t`Reset shortcuts: ${name}`}
              icon={<RotateCcw />}
              onClick={() => {
                onReset(command);
                row.current?.querySelector<HTMLElement>("button")?.focus();
              }}
            />
          )}
        </span>
      )}
      {mode?.kind === "ask" && (
        <div
          className="conflict"
          role="alert"
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            setMode(null);
          }}
        >
          <p>
            <Presses keys={mode.keys} /> <Trans>is already used for: {names}.</Trans>
          </p>
          <button
            data-take
            type="button"
            className="btn"
            onClick={() => assign(mode.keys, mode.instead)}
          >
            <Trans>Use it here</Trans>
          </button>
          <button
            type="button"
            className="btn"
            onClick={() => setMode({ kind: "listen", instead: mode.instead })}
          >
            <Trans>Add shortcut</Trans>
          </button>
          <button type="button" className="btn" onClick={() => setMode(null)}>
            <Trans>Cancel</Trans>
          </button>
        </div>
      )}
    </li>
  );
}

/** The keys as shown: "g a", "⇧A". */
function shownKeys(keys: string): string {
  return keys.split(" ").map(keyLabel).join(" ");
}
