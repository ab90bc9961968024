import { followPreference, getPreference, setPreference, usePreference } from "../preferences";

/** How many of the newest items this device stores for reading offline, besides the starred ones. */
export const offlineAmounts = ["0", "50", "200", "500"] as const;
export type OfflineAmount = (typeof offlineAmounts)[number];

const name = "offline-amount";
const defaultAmount: OfflineAmount = "200";

export function useOfflineAmount(): OfflineAmount {
  return usePreference(name, offlineAmounts, defaultAmount);
}

export function offlineAmount(): number {
  return Number(getPreference(name, offlineAmounts, defaultAmount));
}

export function setOfflineAmount(amount: OfflineAmount): void {
  setPreference(name, amount);
}

/** What another tab chooses holds in this one too. */
export function followAmount(): () => void {
  return followPreference(name);
}
