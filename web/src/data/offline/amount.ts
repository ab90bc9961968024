import { getPreference, setPreference, usePreference } from "../preferences";

/** How many of the newest items this device keeps for times without a network, beside the starred ones. */
export const offlineAmounts = ["0", "50", "200", "500"] as const;
export type OfflineAmount = (typeof offlineAmounts)[number];

const name = "offline-amount";
const usual: OfflineAmount = "200";

export function useOfflineAmount(): OfflineAmount {
  return usePreference(name, offlineAmounts, usual);
}

export function offlineAmount(): number {
  return Number(getPreference(name, offlineAmounts, usual));
}

export function setOfflineAmount(amount: OfflineAmount): void {
  setPreference(name, amount);
}

/** What another tab chooses holds in this one too. */
export function followAmount(): () => void {
  const hear = ({ key, newValue }: StorageEvent) => {
    if (key === `ruri.${name}` && newValue !== null) setPreference(name, newValue);
  };
  window.addEventListener("storage", hear);
  return () => window.removeEventListener("storage", hear);
}
