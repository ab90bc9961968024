import { type FocusEvent, type RefObject, useEffect, useRef } from "react";

/**
 * When the focused row is removed, focuses the row in its position, else the last one, else the heading of the page. Rows
 * have the attribute `data-row`.
 */
export function useFocusKeeper(box: RefObject<HTMLElement | null>) {
  const last = useRef<{ row: Element; at: number; control: number } | null>(null);

  useEffect(() => {
    const place = box.current;
    if (!place) return;
    // Observed, because other components render the rows.
    const observer = new MutationObserver(() => {
      const had = last.current;
      // Only whether this row was removed matters.
      if (!had || had.row.isConnected) return;
      if (document.activeElement && document.activeElement !== document.body) return;
      const rows = rowsOf(place);
      last.current = null;
      const next = rows[Math.min(had.at, rows.length - 1)];
      // The same control in the next row; not a text field, where the undo key types a letter.
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
