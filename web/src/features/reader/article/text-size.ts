import { getSetting, setSettings } from "@/data/settings";
import type { Settings } from "@/data/types";

export const smallest = -2;
export const largest = 4;

/** The defaults of the text settings. */
export const defaultText = {
  readingFont: "sans",
  textStep: 0,
  lineHeight: "auto",
  measure: "normal",
} as const satisfies Partial<Settings>;

/** Changes the text size by one step; false at the end of the scale. */
export function stepText(by: 1 | -1): Promise<void> | false {
  const step = getSetting("textStep") + by;
  return step < smallest || step > largest ? false : setSettings({ textStep: step });
}

export function isDefaultText(settings: Pick<Settings, keyof typeof defaultText>): boolean {
  return Object.entries(defaultText).every(
    ([name, value]) => settings[name as keyof typeof defaultText] === value,
  );
}
