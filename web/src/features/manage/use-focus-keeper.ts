import { type FocusEvent, type RefObject, useEffect, useRef } from "react";

/**
 * A row that goes takes the focus with it: it passes to the row that came into its place, else to the last one,
 * else to the page's heading. Rows are marked with `data-row`.
 */
export function useFocusKeeper(box: RefObject<HTMLElement | null>) {
  const last = useRef<{ at: number; rows: number } | null>(null);

  // After every commit: only then is it known that the row is gone.
  useEffect(() => {
    const had = last.current;
    if (!had || !box.current) return;
    if (document.activeElement && document.activeElement !== document.body) return;
    const rows = rowsOf(box.current);
    if (rows.length >= had.rows) return;
    last.current = null;
    const next = rows[Math.min(had.at, rows.length - 1)];
    const stop = next?.querySelector<HTMLElement>("a[href],button,input");
    (stop ?? document.querySelector<HTMLElement>("h1[tabindex]"))?.focus();
  });

  return {
    onFocus(event: FocusEvent<HTMLElement>) {
      const row = event.target.closest("[data-row]");
      const rows = rowsOf(event.currentTarget);
      last.current = row ? { at: rows.indexOf(row), rows: rows.length } : null;
    },
  };
}

function rowsOf(box: HTMLElement): Element[] {
  return [...box.querySelectorAll("[data-row]")];
}
