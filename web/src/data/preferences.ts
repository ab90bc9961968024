import { readStored, writeStored } from "./device-storage";
import { createStore, useStore } from "./store";

/** What was set in this page: it holds for the page's life, also where the browser forbids storage. */
const changed = createStore<ReadonlyMap<string, string>>(new Map());

/** A preference of this device; null when it was never set. */
export function readPreference(name: string): string | null {
  return changed.get().get(name) ?? readStored(`ruri.${name}`);
}

export function setPreference(name: string, value: string): void {
  writeStored(`ruri.${name}`, value);
  changed.set(new Map(changed.get()).set(name, value));
}

export function getPreference<T extends string>(
  name: string,
  allowed: readonly T[],
  fallback: T,
): T {
  const value = readPreference(name);
  return allowed.find((one) => one === value) ?? fallback;
}

/** What `read` makes of preferences: a value that compares by Object.is. */
export function usePreferences<T>(read: () => T): T {
  return useStore(changed, read);
}

export function usePreference<T extends string>(
  name: string,
  allowed: readonly T[],
  fallback: T,
): T {
  return usePreferences(() => getPreference(name, allowed, fallback));
}

/** A preference that can be any text; null when it was never set. */
export function useText(name: string): string | null {
  return usePreferences(() => readPreference(name));
}

/** Takes over a preference that another tab sets. Returns a function that ends that. */
export function followPreference(name: string): () => void {
  const onStorage = ({ key, newValue }: StorageEvent) => {
    if (key === `ruri.${name}` && newValue !== null) setPreference(name, newValue);
  };
  window.addEventListener("storage", onStorage);
  return () => window.removeEventListener("storage", onStorage);
}
