import { getSetting, onSettingsChange } from "@/data/settings";
import type { Settings } from "@/data/types";

export const themes = ["auto", "light", "dark"] as const satisfies readonly Settings["theme"][];
export type Theme = (typeof themes)[number];

const dark = "(prefers-color-scheme: dark)";

function applyTheme(): void {
  const theme = getSetting("theme");
  document.documentElement.dataset.theme =
    theme === "auto" ? (matchMedia(dark).matches ? "dark" : "light") : theme;
}

/** Follows the settings and the system; the first lines of index.html set the theme for the first paint. */
export function followTheme(): () => void {
  applyTheme();
  const media = matchMedia(dark);
  media.addEventListener("change", applyTheme);
  const unlisten = onSettingsChange(applyTheme);
  return () => {
    media.removeEventListener("change", applyTheme);
    unlisten();
  };
}
