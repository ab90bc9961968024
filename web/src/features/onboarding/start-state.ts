import { readPreference, setPreference } from "@/data/preferences";

/**
 * The preference with the state of the first steps on Today: "on" after the first run, "phone" once the address for a
 * phone was shown, empty when they are over; unset without a first run on this device.
 */
export const startPreference = "start";

/** A second visit to the first run does not bring them back. */
export function armStart(): void {
  if (readPreference(startPreference) === null) setPreference(startPreference, "on");
}

export function notePhone(): void {
  if (readPreference(startPreference) !== "") setPreference(startPreference, "phone");
}

export function endStart(): void {
  setPreference(startPreference, "");
}
