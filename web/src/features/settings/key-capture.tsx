import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useRef, useState } from "react";
import { keyLabel } from "@/keys/commands";
import { pressName, sequenceWindow } from "@/keys/keyboard";

interface Props {
  onKeys: (keys: string) => void;
  onCancel: () => void;
  /** Removes the key; absent for a new one. */
  onRemove?: (() => void) | undefined;
}

/** Captures a key, or a sequence of two. Shortcuts are off meanwhile. */
export function KeyCapture({ onKeys, onCancel, onRemove }: Props) {
  const { t } = useLingui();
  const [first, setFirst] = useState("");
  const field = useRef<HTMLButtonElement>(null);
  const latest = useRef({ onKeys, onCancel });
  latest.current = { onKeys, onCancel };

  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (first === "") return;
    const timer = setTimeout(() => latest.current.onKeys(first), sequenceWindow);
    return () => clearTimeout(timer);
  }, [first]);

  return (
    <span className="capture">
      <button
        ref={field}
        type="button"
        className="btn"
        aria-label={t`Press one key, or two in sequence. Escape cancels.`}
        onKeyDown={(event) => {
          const { nativeEvent } = event;
          // Tab and what has Ctrl, Alt or Meta belong to the browser.
          if (event.key === "Tab" || event.ctrlKey || event.altKey || event.metaKey) return;
          event.preventDefault();
          event.stopPropagation();
          if (event.key === "Shift" || event.repeat) return;
          if (event.key === "Escape") return onCancel();
          const press = pressName(nativeEvent);
          if (press === "Process" || press === "Unidentified") return;
          if (first === "") setFirst(press);
          else onKeys(`${first} ${press}`);
        }}
      >
        {first === "" ? <Trans>Press a key…</Trans> : <kbd>{keyLabel(first)}</kbd>}
      </button>
      {onRemove && (
        <button type="button" className="btn" onClick={onRemove}>
          <Trans>Remove</Trans>
        </button>
      )}
      <button type="button" className="btn" onClick={onCancel}>
        <Trans>Cancel</Trans>
      </button>
    </span>
  );
}
