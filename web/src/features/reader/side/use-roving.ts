import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { makeTypeAhead } from "./type-ahead";

interface Roving {
  /** The row that Tab reaches. */
  stop: string;
  onFocus: (event: FocusEvent) => void;
  onBlur: (event: FocusEvent) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

interface Options {
  box: RefObject<HTMLElement | null>;
  rows: readonly string[];
  /** The row of the open stream. */
  current: string;
  isClosed: (row: string) => boolean | undefined;
  toggle: (row: string) => void;
}

/** Stay shortcuts (undo, help, search) and are not used to find names. */
const kept = "z?/";

/** Roving focus: Tab reaches one row; arrows, Home, End and letters move, left and right close and open. */
export function useRoving({ box, rows, current, isClosed, toggle }: Options): Roving {
  const [chosen, setChosen] = useState(current);
  const focused = useRef<{ row: string; index: number; element: Element } | null>(null);
  const [find] = useState(makeTypeAhead);

  useEffect(() => setChosen(current), [current]);

  // When the focused row is removed, the one in its position gets the focus; one that was moved is another element.
  useLayoutEffect(() => {
    const had = focused.current;
    const isThere = had !== null && rows.includes(had.row);
    if (!had || (isThere && had.element.isConnected)) return;
    focused.current = null;
    if (document.activeElement !== document.body) return;
    const next = isThere ? had.row : rows[Math.min(had.index, rows.length - 1)];
    if (next) linkOf(box.current, next)?.focus();
  }, [rows, box]);

  // Keeps the row of the open stream in view.
  useEffect(() => {
    const link = linkOf(box.current, current);
    const scroll = link?.closest(".scroll");
    if (!link || !scroll) return;
    const place = link.getBoundingClientRect();
    const view = scroll.getBoundingClientRect();
    if (place.top < view.top) scroll.scrollTop += place.top - view.top - 8;
    else if (place.bottom > view.bottom) scroll.scrollTop += place.bottom - view.bottom + 8;
  }, [current, box]);

  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target } = event;
    const row = rowAt(target);
    if (row === null || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.nativeEvent.isComposing) return;
    const at = rows.indexOf(row);
    const go = (index: number) => {
      const to = rows[index];
      if (to === undefined) return;
      event.preventDefault();
      linkOf(box.current, to)?.focus();
    };
    const closed = isClosed(row);
    if (key === "ArrowDown") go(at + 1);
    else if (key === "ArrowUp") go(at - 1);
    else if (key === "Home") go(0);
    else if (key === "End") go(rows.length - 1);
    else if (key === "ArrowRight" && closed !== undefined) {
      event.preventDefault();
      if (closed) toggle(row);
      else if (isDeeper(box.current, rows[at + 1], row)) go(at + 1);
    } else if (key === "ArrowLeft") {
      event.preventDefault();
      if (closed === false) toggle(row);
      else {
        const outer = linkOf(box.current, row)?.closest("ul")?.closest<HTMLElement>("[data-part]");
        if (outer) go(rows.indexOf(outer.dataset.part ?? ""));
      }
    } else if (key.length === 1 && key !== " " && !kept.includes(key)) {
      const names = rows.map((one) => linkOf(box.current, one)?.dataset.name ?? "");
      const to = find(names, at, key, event.timeStamp);
      if (to >= 0) go(to);
    }
  };

  return {
    stop: rows.includes(chosen) ? chosen : current,
    onFocus: ({ target }) => {
      const row = rowAt(target);
      if (row === null) return;
      focused.current = { row, index: rows.indexOf(row), element: target };
      setChosen(row);
    },
    onBlur: ({ relatedTarget }) => {
      // Dialogs and menus return the focus.
      if (relatedTarget && !relatedTarget.closest("dialog,[role=menu]")) focused.current = null;
    },
    onKeyDown,
  };
}

function rowAt(target: EventTarget): string | null {
  return (target as Element).closest<HTMLElement>("[data-row]")?.dataset.row ?? null;
}

/** The element of a row that takes the focus. */
export function linkOf(box: HTMLElement | null, row: string): HTMLElement | null {
  return box?.querySelector<HTMLElement>(`[data-row="${CSS.escape(row)}"] [data-stop]`) ?? null;
}

function isDeeper(box: HTMLElement | null, row: string | undefined, outer: string): boolean {
  if (row === undefined) return false;
  return linkOf(box, row)?.closest(`[data-part="${CSS.escape(outer)}"]`) !== null;
}
