import { t } from "@lingui/core/macro";
import { useMemo } from "react";
import { keepFilter } from "@/data/kept-filters";
import { hasFolderMode, keepForFolders, keepMode, modeOf, useMode } from "@/data/modes";
import { type ReaderRoute, readerPath, streamName } from "@/data/routes";
import { useSetting } from "@/data/settings";
import type { Filter, Mode } from "@/data/types";
import { go, navigate, openItemId } from "@/data/use-route";
import { showToast } from "@/ui/toasts";
import { transition } from "@/ui/transition";

/** The appearance of a list. */
export interface Shape {
  mode: Mode;
  isCompact: boolean;
  hasImages: boolean;
  /** Those of watches are small, and in Skim too. */
  hasOfferImages: boolean;
}

/** The mode in the address, else the one that was chosen. On a phone Skim and Read are one list. */
export function useShape(route: ReaderRoute, isPhone: boolean): Shape {
  const kept = useMode(route.stream);
  const isCompact = useSetting("density") === "compact";
  const images = useSetting("showImages");
  const wanted = route.stream.kind === "today" ? "read" : (route.mode ?? kept);
  const mode = isPhone && wanted === "skim" ? "read" : wanted;
  return useMemo(
    () => ({
      mode,
      isCompact,
      hasImages: images && (mode === "read" || mode === "gallery"),
      hasOfferImages: images && mode !== "stream",
    }),
    [mode, isCompact, images],
  );
}

/** Shows all, unread or starred items of a list, and keeps that for it. */
export function chooseFilter(route: ReaderRoute, filter: Filter): void {
  if ("id" in route.stream) keepFilter(streamName(route.stream), filter);
  go(readerPath(route.stream, filter, null, route));
}

/** Keeps a mode for a list. The first one that is chosen for a folder is offered for all of them. */
export function chooseMode(route: ReaderRoute, mode: Mode): void {
  const { stream, filter, order } = route;
  if (stream.kind === "today" || mode === (route.mode ?? modeOf(stream))) return;
  const isFirst = stream.kind === "folder" && !hasFolderMode();
  transition("look", () => {
    keepMode(stream, mode);
    navigate(readerPath(stream, filter, openItemId(), { mode, order }), { replace: true });
  });
  if (isFirst)
    showToast(t`Mode changed for this folder.`, {
      label: t`Use for all folders`,
      run: () => keepForFolders(mode),
    });
}
