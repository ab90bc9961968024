/**
 * The path of the host below which the reader is served: "", or "/reader". The server writes it into index.html. Paths
 * within the page have none; what goes to the browser gets it here, and what comes from there loses it.
 */
const base = document.documentElement.dataset.base ?? "";

/** A path of the reader as the browser needs it: in links, requests and the history. */
export function outward(path: string): string {
  return base + path;
}

/** A path of the browser's as the page knows it. */
export function inward(path: string): string {
  return path.startsWith(`${base}/`) ? path.slice(base.length) : path;
}

/** The reader's address, without a slash at its end. */
export function ownAddress(): string {
  return location.origin + base;
}
