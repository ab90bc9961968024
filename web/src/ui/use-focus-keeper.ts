import { type FocusEvent, type RefObject, useEffect, useRef } from "react";

/**
 * A row that goes takes the focus with it: it passes to the row that came into its place, else to the last one,
 * else to the page's heading. Rows are marked with `data-row`.
 */
export function useFocusKeeper(box: RefObject<HTMLElement | null>) {
  const last = useRef<{ row: Element; at: number; control: number } | null>(null);

  useEffect(() => {
    const place = box.current;
    if (!place) return;
    // Rows go in parts of the page that the one who keeps the focus does not draw.
    const observer = new MutationObserver(() => {
      const had = last.current;
      // Others may have come meanwhile: what counts is whether this one went.
      if (!had || had.row.isConnected) return;
      if (document.activeElement && document.activeElement !== document.body) return;
      const rows = rowsOf(place);
      last.current = null;
      const next = rows[Math.min(had.at, rows.length - 1)];
      // The same control of the next row: not a field, in which the key for undo would be a letter.
      const controls = next ? controlsOf(next) : [];
      const stop = controls[had.control]?.matches(usable)
        ? controls[had.control]
        : controls.find((one) => one.matches(usable));
      (stop ?? document.querySelector<HTMLElement>("h1[tabindex]"))?.focus();
    });
    observer.observe(place, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [box]);

  return {
    onFocus(event: FocusEvent<HTMLElement>) {
      const row = event.target.closest("[data-row]");
      const rows = rowsOf(event.currentTarget);
      const control = row ? controlsOf(row).indexOf(event.target) : 0;
      last.current = row ? { row, at: rows.indexOf(row), control } : null;
    },
  };
}

const usable = "a[href],button:enabled,[type=checkbox]";

function controlsOf(row: Element): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>("a[href],button,input")];
}

function rowsOf(box: HTMLElement): Element[] {
  return [...box.querySelectorAll("[data-row]")];
}
