import { useMemo } from "react";
import { type ReaderRoute, readerPath } from "@/data/routes";
import { getSetting, useSetting } from "@/data/settings";
import type { Order, Settings, View } from "@/data/types";

/** How a list looks. */
export interface Shape {
  view: View;
  density: Settings["density"];
  hasImages: boolean;
  hasExcerpt: boolean;
}

/** As the address says, else as the person prefers. */
export function useShape(route: ReaderRoute): Shape {
  const preferred = useSetting("defaultView");
  const density = useSetting("density");
  const images = useSetting("showImages");
  const view = route.view ?? preferred;
  return useMemo(
    () => ({
      view,
      density,
      hasImages: images && !(view === "list" && density === "compact"),
      hasExcerpt: view !== "list" || density === "spacious",
    }),
    [view, density, images],
  );
}

/** The same list under another view or order; what the person prefers anyway is not written into the address. */
export function lookAs(route: ReaderRoute, change: { view?: View; order?: Order }): string {
  const view = change.view ?? route.view;
  const order = change.order ?? route.order;
  return readerPath(route.stream, route.filter, route.item, {
    view: view === getSetting("defaultView") ? null : view,
    order: order === getSetting("order") ? null : order,
  });
}
