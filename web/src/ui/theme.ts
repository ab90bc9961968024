import { getPreference, setPreference } from "@/data/preferences";

export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const dark = "(prefers-color-scheme: dark)";

export function applyTheme(): void {
  const theme = getPreference("theme", themes, "auto");
  document.documentElement.dataset.theme =
    theme === "auto" ? (matchMedia(dark).matches ? "dark" : "light") : theme;
}

export function chooseTheme(theme: Theme): void {
  setPreference("theme", theme);
  applyTheme();
}

/** public/theme.js has set the first paint; from here on the page follows the system while it is open. */
export function followSystemTheme(): () => void {
  applyTheme();
  const media = matchMedia(dark);
  media.addEventListener("change", applyTheme);
  return () => media.removeEventListener("change", applyTheme);
}
