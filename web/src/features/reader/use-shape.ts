import { t } from "@lingui/core/macro";
import { useMemo } from "react";
import { isSearch, type ReaderRoute, readerPath } from "@/data/routes";
import { setSettings, useSetting } from "@/data/settings";
import type { Settings, View } from "@/data/types";
import { navigate } from "@/data/use-route";
import { showToast } from "@/ui/toasts";
import { transition } from "@/ui/transition";

/** The appearance of a list. */
export interface Shape {
  view: View;
  density: Settings["density"];
  hasImages: boolean;
  hasExcerpt: boolean;
}

/** From the address, else from the settings. */
export function useShape(route: ReaderRoute): Shape {
  const preferred = useSetting("defaultView");
  const chosen = useSetting("density");
  // Results have room for the lines that were found.
  const density = chosen === "normal" && isSearch(route.stream) ? "spacious" : chosen;
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

/** Saves a view for all lists, and removes one from the address. */
export function chooseView(route: ReaderRoute, view: View): void {
  transition("look", () => {
    setSettings({ defaultView: view }).catch(() => showToast(t`Could not save the view.`));
    const path = readerPath(route.stream, route.filter, route.item, { order: route.order });
    if (route.view !== null) navigate(path, { replace: true });
  });
}
