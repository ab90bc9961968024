import { readPreference, setPreference } from "@/data/preferences";

/** The hint to be shown next; empty when there is none. Whoever never came by the first run has none. */
export const hintPlace = "hint";

export const hintCount = 3;

/** The first run promises three hints; a second visit there does not repeat them. */
export function armHints(): void {
  if (readPreference(hintPlace) === null) setPreference(hintPlace, "1");
}

/** Each is shown once: what is on the screen now is not there after a reload. */
export function passHint(shown: number): void {
  setPreference(hintPlace, String(shown + 1));
}

export function endHints(): void {
  setPreference(hintPlace, "");
}
