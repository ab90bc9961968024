import { toApiError } from "../api-error";
import { outward } from "../base";
import { problemOf } from "../client";
import { createStore, useStore } from "../store";

/**
 * What cannot be restored (a passkey, a token, a webhook) is removed with a delay: from the page at once, from the server
 * when the time to undo is over or the page is closed.
 */
const delay = 10_000;

/** Paths of things that are removed, or about to be. */
const removed = createStore<ReadonlySet<string>>(new Set());
/** Those that are still on the server, each with the function that removes it there. */
const pending = new Map<string, () => void>();

export function useRemoved(): ReadonlySet<string> {
  return useStore(removed, (paths) => paths);
}

function setRemoved(path: string, isRemoved: boolean): void {
  const paths = new Set(removed.get());
  if (isRemoved) paths.add(path);
  else paths.delete(path);
  removed.set(paths);
}

/** Sends DELETE for the path after the delay. Returns a function that undoes it; false when it is too late. */
export function removeLater(path: string, onRefused: (cause: unknown) => void): () => boolean {
  const send = () => {
    clearTimeout(timer);
    pending.delete(path);
    fetch(outward(path), {
      method: "DELETE",
      keepalive: true, // the page may be closing
      headers: { "Accept-Language": document.documentElement.lang },
    })
      .then(async (response) => {
        if (!response.ok) throw problemOf(response, await response.text());
      })
      .catch((cause) => {
        setRemoved(path, false);
        onRefused(toApiError(cause));
      });
  };
  const timer = setTimeout(send, delay);
  pending.set(path, send);
  setRemoved(path, true);
  return () => {
    if (!pending.delete(path)) return false;
    clearTimeout(timer);
    setRemoved(path, false);
    return true;
  };
}

addEventListener("pagehide", () => {
  for (const send of [...pending.values()]) send();
});
