import { getSetting, setSettings, useSetting } from "../settings";

/** Holds for the life of the page where the setting could not be saved. */
let isLeft = false;

/** Ends the first run: nobody is led there twice, on any device. */
export function leaveWelcome(): void {
  isLeft = true;
  if (!getSetting("welcomed")) setSettings({ welcomed: true }).catch(() => undefined);
}

export function isWelcomed(): boolean {
  return isLeft || getSetting("welcomed");
}

export function useIsWelcomed(): boolean {
  useSetting("welcomed");
  return isWelcomed();
}
