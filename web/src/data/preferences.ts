import { useSyncExternalStore } from "react";

/** Preferences of this device. A browser that forbids storage keeps them for the page's life. */
const memory = new Map<string, string>();
const listeners = new Set<() => void>();

export function readPreference(name: string): string | null {
  if (memory.has(name)) return memory.get(name) ?? null;
  try {
    return localStorage.getItem(`ruri.${name}`);
  } catch {
    return null;
  }
}

export function setPreference(name: string, value: string): void {
  memory.set(name, value);
  try {
    localStorage.setItem(`ruri.${name}`, value);
  } catch {
    // kept in memory
  }
  for (const listener of listeners) listener();
}

export function getPreference<T extends string>(
  name: string,
  allowed: readonly T[],
  fallback: T,
): T {
  const value = readPreference(name);
  return allowed.find((one) => one === value) ?? fallback;
}

export function subscribePreferences(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePreference<T extends string>(
  name: string,
  allowed: readonly T[],
  fallback: T,
): T {
  return useSyncExternalStore(subscribePreferences, () => getPreference(name, allowed, fallback));
}

/** A text that this device keeps; null when it never had one. */
export function useText(name: string): string | null {
  return useSyncExternalStore(subscribePreferences, () => readPreference(name));
}
