import { getSetting, setSettings } from "@/data/settings";
import type { Settings } from "@/data/types";

export const smallest = -2;
export const largest = 4;

/** The settings of the Aa panel, as they come. */
export const plainType = {
  readingFont: "sans",
  textStep: 0,
  lineHeight: "auto",
  measure: "normal",
} as const satisfies Partial<Settings>;

/** One step up or down; false at the end of the scale. */
export function stepText(by: 1 | -1): Promise<void> | false {
  const step = getSetting("textStep") + by;
  return step < smallest || step > largest ? false : setSettings({ textStep: step });
}

export function isPlainType(settings: Pick<Settings, keyof typeof plainType>): boolean {
  return Object.entries(plainType).every(
    ([name, value]) => settings[name as keyof typeof plainType] === value,
  );
}
