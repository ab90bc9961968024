import { useSyncExternalStore } from "react";
import { readPreference, setPreference } from "@/data/preferences";

export type Pane = "side" | "list";

interface Panes {
  side?: number;
  list?: number;
  /** Names with blanks between, as the page's `data-hide` has them. */
  hidden?: string;
}

/** In px, as frame.css has them. */
export const limits: Record<Pane, { least: number; most: number; usual: number }> = {
  side: { least: 200, most: 360, usual: 248 },
  list: { least: 320, most: 560, usual: 380 },
};

const name = "panes";
const listeners = new Set<() => void>();

/**
 * How wide the panes are and which are hidden, on this device. The page's root carries it, so that index.html can
 * set it before the first paint and dragging draws nothing anew but the grid.
 */
export function readPanes(): Panes {
  try {
    const kept: unknown = JSON.parse(readPreference(name) ?? "{}");
    return typeof kept === "object" && kept !== null ? kept : {};
  } catch {
    return {};
  }
}

export function setWidth(pane: Pane, width: number | null): void {
  const { [pane]: _, ...rest } = readPanes();
  const { least, most } = limits[pane];
  put(
    width === null ? rest : { ...rest, [pane]: Math.min(most, Math.max(least, Math.round(width))) },
  );
}

export function togglePane(pane: Pane): void {
  const hidden = new Set((readPanes().hidden ?? "").split(" ").filter(Boolean));
  if (!hidden.delete(pane)) hidden.add(pane);
  put({ ...readPanes(), hidden: [...hidden].join(" ") });
}

/** As a person does it: the focus does not go away with what it was on. */
export function hideOrShow(pane: Pane): void {
  const places = pane === "side" ? ".side,.rail" : ".list-pane";
  const wasInside = document.activeElement?.closest(places) != null;
  togglePane(pane);
  if (!wasInside) return;
  requestAnimationFrame(() => {
    const next =
      pane === "side"
        ? isHidden("side")
          ? ".rail button"
          : '.side [data-stop][tabindex="0"]'
        : ".article-pane h1";
    document.querySelector<HTMLElement>(next)?.focus();
  });
}

export function isHidden(pane: Pane): boolean {
  return (readPanes().hidden ?? "").split(" ").includes(pane);
}

export function useHidden(pane: Pane): boolean {
  return useSyncExternalStore(subscribe, () => isHidden(pane));
}

export function useWidth(pane: Pane): number {
  return useSyncExternalStore(subscribe, () => readPanes()[pane] ?? limits[pane].usual);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function put(next: Panes): void {
  setPreference(name, JSON.stringify(next));
  const { style, dataset } = document.documentElement;
  for (const pane of ["side", "list"] as const) {
    const width = next[pane];
    if (width) style.setProperty(`--${pane}-w`, `${width}px`);
    else style.removeProperty(`--${pane}-w`);
  }
  if (next.hidden) dataset.hide = next.hidden;
  else delete dataset.hide;
  for (const listener of listeners) listener();
}
