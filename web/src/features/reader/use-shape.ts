import { t } from "@lingui/core/macro";
import { useMemo } from "react";
import { type ReaderRoute, readerPath } from "@/data/routes";
import { getSetting, setSettings, useSetting } from "@/data/settings";
import type { Order, Settings, View } from "@/data/types";
import { navigate } from "@/data/use-route";
import { showToast } from "@/ui/toasts";
import { transition } from "@/ui/transition";

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

/** The same list in another order; what the person prefers anyway is not written into the address. */
export function orderedAs(route: ReaderRoute, order: Order): string {
  return readerPath(route.stream, route.filter, route.item, {
    view: route.view,
    order: order === getSetting("order") ? null : order,
  });
}

/** A view that is chosen is kept, for all lists; one that an address asks for is for the visit to that list alone. */
export function chooseView(route: ReaderRoute, view: View): void {
  transition("look", () => {
    setSettings({ defaultView: view }).catch(() => showToast(t`The view could not be saved.`));
    const path = readerPath(route.stream, route.filter, route.item, { order: route.order });
    if (route.view !== null) navigate(path, { replace: true });
  });
}
