import { getSetting, setSettings, useSetting } from "./settings";

/** Where the setting could not be saved: for the life of the page it holds all the same. */
let isLeft = false;

/** The first run is left: nobody is led there twice, on no device. */
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
