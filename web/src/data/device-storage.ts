/** An entry of localStorage; null where there is none or the browser forbids storage. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Null removes the entry. Where storage is forbidden or full nothing happens. */
export function writeStored(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // callers keep in memory what they need
  }
}

/** Parses stored JSON; the fallback for null and for anything that is not JSON. */
export function parseStored<T>(text: string | null, fallback: T): T {
  try {
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}
