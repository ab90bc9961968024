import { t } from "@lingui/core/macro";
import { useMemo } from "react";
import { hasFolderMode, keepForFolders, keepMode, modeOf, useMode } from "@/data/modes";
import { type ReaderRoute, readerPath } from "@/data/routes";
import { useSetting } from "@/data/settings";
import type { Mode } from "@/data/types";
import { navigate } from "@/data/use-route";
import { showToast } from "@/ui/toasts";
import { transition } from "@/ui/transition";

/** The appearance of a list. */
export interface Shape {
  mode: Mode;
  isCompact: boolean;
  hasImages: boolean;
}

/** The mode in the address, else the one that was chosen. On a phone Skim and Read are one list. */
export function useShape(route: ReaderRoute, isPhone: boolean): Shape {
  const kept = useMode(route.stream);
  const isCompact = useSetting("density") === "compact";
  const images = useSetting("showImages");
  const wanted = route.mode ?? kept;
  const mode = isPhone && wanted === "skim" ? "read" : wanted;
  return useMemo(
    () => ({
      mode,
      isCompact,
      hasImages: images && (mode === "read" || mode === "gallery"),
    }),
    [mode, isCompact, images],
  );
}

/** Keeps a mode for a list. The first one that is chosen for a folder is offered for all of them. */
export function chooseMode(route: ReaderRoute, mode: Mode): void {
  const { stream, filter, item, order } = route;
  if (mode === (route.mode ?? modeOf(stream))) return;
  const isFirst = stream.kind === "folder" && !hasFolderMode();
  transition("look", () => {
    keepMode(stream, mode);
    navigate(readerPath(stream, filter, item, { mode, order }), { replace: true });
  });
  if (isFirst)
    showToast(t`Mode changed for this folder.`, {
      label: t`Use for all folders`,
      run: () => keepForFolders(mode),
    });
}
