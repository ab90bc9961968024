import { readPreference, setPreference } from "@/data/preferences";

/** The preference with the number of the next hint: empty when there is none, unset without a first run. */
export const hintPreference = "hint";

export const hintCount = 3;

/** Starts the hints; a second visit to the first run does not repeat them. */
export function armHints(): void {
  if (readPreference(hintPreference) === null) setPreference(hintPreference, "1");
}

/** Each hint is shown once, also after a reload. */
export function passHint(shown: number): void {
  setPreference(hintPreference, String(shown + 1));
}

export function endHints(): void {
  setPreference(hintPreference, "");
}
