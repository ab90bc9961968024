import { getSetting, listenForSettings } from "@/data/settings";
import type { Settings } from "@/data/types";

export const themes = ["auto", "light", "dark"] as const satisfies readonly Settings["theme"][];
export type Theme = (typeof themes)[number];

const dark = "(prefers-color-scheme: dark)";

export function applyTheme(): void {
  const theme = getSetting("theme");
  document.documentElement.dataset.theme =
    theme === "auto" ? (matchMedia(dark).matches ? "dark" : "light") : theme;
}

/** The first lines of index.html have set the first paint; from here on the page follows the settings, and the system while it is open. */
export function followTheme(): () => void {
  applyTheme();
  const media = matchMedia(dark);
  media.addEventListener("change", applyTheme);
  const unlisten = listenForSettings(applyTheme);
  return () => {
    media.removeEventListener("change", applyTheme);
    unlisten();
  };
}
