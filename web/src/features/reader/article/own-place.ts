import { useSyncExternalStore } from "react";
import { templateFault } from "./share";

/** A place of the person's own to send items to; the device keeps it. */
export interface OwnPlace {
  name: string;
  template: string;
}

const storedAs = "ruri.share";
const listeners = new Set<() => void>();
let memory: string | null = null;

function read(): string {
  if (memory !== null) return memory;
  try {
    return localStorage.getItem(storedAs) ?? "";
  } catch {
    return "";
  }
}

function parse(stored: string): OwnPlace | null {
  try {
    const { name, template } = JSON.parse(stored) as Partial<OwnPlace>;
    // Somebody may have written there by hand: an address that runs here never becomes a link.
    if (typeof template !== "string" || templateFault(template)) return null;
    return { name: typeof name === "string" ? name : "", template };
  } catch {
    return null;
  }
}

export function keepOwnPlace(place: OwnPlace | null): void {
  const stored = place ? JSON.stringify(place) : "";
  try {
    localStorage.setItem(storedAs, stored);
    memory = null;
  } catch {
    memory = stored; // storage is forbidden: for the page's life
  }
  for (const listener of listeners) listener();
}

export function useOwnPlace(): OwnPlace | null {
  const stored = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, read);
  return parse(stored);
}
