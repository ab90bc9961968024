import { parseStored } from "@/data/device-storage";
import { readPreference, setPreference, usePreferences } from "@/data/preferences";

export type Pane = "side" | "list";

interface Panes {
  side?: number;
  list?: number;
  /** Names separated by blanks, as in the attribute `data-hide`. */
  hidden?: string;
}

/** In px, as in frame.css. */
export const limits: Record<Pane, { least: number; most: number; usual: number }> = {
  side: { least: 200, most: 360, usual: 248 },
  list: { least: 300, most: 560, usual: 420 },
};

const preference = "panes";

/**
 * The widths of the panes and which are hidden, on this device. Set on the root element, so that index.html can set it
 * before the first paint and dragging renders nothing.
 */
export function readPanes(): Panes {
  const stored = parseStored<unknown>(readPreference(preference), {});
  return typeof stored === "object" && stored !== null ? stored : {};
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

/** Toggles a pane and keeps the focus in a visible one. */
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
  return usePreferences(() => isHidden(pane));
}

export function useWidth(pane: Pane): number {
  return usePreferences(() => readPanes()[pane] ?? limits[pane].usual);
}

function put(next: Panes): void {
  setPreference(preference, JSON.stringify(next));
  const { style, dataset } = document.documentElement;
  for (const pane of ["side", "list"] as const) {
    const width = next[pane];
    if (width) style.setProperty(`--${pane}-w`, `${width}px`);
    else style.removeProperty(`--${pane}-w`);
  }
  if (next.hidden) dataset.hide = next.hidden;
  else delete dataset.hide;
}
