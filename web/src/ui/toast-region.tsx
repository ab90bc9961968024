import { useEffect, useRef, useState } from "react";
import { withKey } from "./icon-button";
import { hideToast, useToast } from "./toasts";

const shownFor = 10_000;

/** The live region is always mounted, so that toasts are announced. */
export function ToastRegion() {
  const toast = useToast();
  const [held, setHeld] = useState(false);
  const left = useRef(shownFor);
  const key = toast?.key ?? 0;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new toast restarts the timer
  useEffect(() => {
    left.current = shownFor;
  }, [key]);

  useEffect(() => {
    if (key === 0) return;
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
    <div className="toast-place">
      <div role="status" aria-live="polite">
        {toast && (
          // biome-ignore lint/a11y/noStaticElementInteractions: hovering only pauses the timer
          <div
            key={toast.key}
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
                  hideToast(toast.key);
                }}
              >
                {toast.action.command
                  ? withKey(toast.action.label, toast.action.command)
                  : toast.action.label}
              </button>
            )}
          </div>
        )}
      </div>
    </div>
  );
}
