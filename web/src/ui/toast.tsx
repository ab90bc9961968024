import { useEffect, useRef, useState } from "react";
import { type CommandId, keyLabel } from "@/keys/commands";
import { keysOf } from "@/keys/keymap";
import { type Toast as Content, hideToast } from "./toasts";

const shownFor = 10_000;

/** A toast leaves after ten seconds, not counting those during which it has the pointer or the focus, or is hidden. */
export function Toast({ toast }: { toast: Content }) {
  const [held, setHeld] = useState(false);
  const left = useRef(shownFor);
  const { key } = toast;

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let since = 0;
    const stop = () => {
      if (timer === undefined) return;
      clearTimeout(timer);
      timer = undefined;
      left.current -= performance.now() - since;
    };
    const start = () => {
      stop();
      if (held || document.hidden) return;
      since = performance.now();
      timer = setTimeout(() => hideToast(key), Math.max(1_000, left.current));
    };
    start();
    document.addEventListener("visibilitychange", start);
    return () => {
      stop();
      document.removeEventListener("visibilitychange", start);
    };
  }, [key, held]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only pauses the timer
    <div
      className="toast"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span>{toast.text}</span>
      {toast.action && (
        <button
          type="button"
          onClick={() => {
            toast.action?.run();
            hideToast(key);
          }}
        >
          {toast.action.label}
          {toast.action.command && <KeyAfter command={toast.action.command} />}
        </button>
      )}
    </div>
  );
}

/** Not where fingers touch. */
function KeyAfter({ command }: { command: CommandId }) {
  const [key] = keysOf(command);
  return (
    key && (
      <>
        {" "}
        <span className="presses">({keyLabel(key)})</span>
      </>
    )
  );
}
