import { useSyncExternalStore } from "react";
import { toApiError } from "../api-error";
import { problemOf } from "../client";

/**
 * What cannot be brought back (a passkey, a token, a webhook) is removed with a delay: it is gone from the page at
 * once, and from the server when the time to undo is over, or when the page is left.
 */
const delay = 10_000;

interface Removal {
  path: string;
  timer: ReturnType<typeof setTimeout>;
  send: () => void;
}

const waiting = new Map<string, Removal>();
let gone: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

function change(key: string, isGone: boolean): void {
  const next = new Set(gone);
  if (isGone) next.add(key);
  else next.delete(key);
  gone = next;
  for (const listener of listeners) listener();
}

/** The keys of what is removed, or about to be. */
export function useGone(): ReadonlySet<string> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => gone,
  );
}

interface Wish {
  /** Names the thing among all that are shown. */
  key: string;
  /** Of the DELETE. */
  path: string;
  onRefused: (cause: unknown) => void;
}

/** Undoing answers whether it came in time. */
export function removeLater({ key, path, onRefused }: Wish): () => boolean {
  const send = () => {
    clearTimeout(waiting.get(key)?.timer);
    waiting.delete(key);
    // Outlives the page, if it is being left.
    fetch(path, {
      method: "DELETE",
      keepalive: true,
      headers: { "Accept-Language": document.documentElement.lang },
    })
      .then(async (response) => {
        if (!response.ok) throw problemOf(response, await response.text());
      })
      .catch((cause) => {
        change(key, false);
        onRefused(toApiError(cause));
      });
  };
  waiting.set(key, { path, send, timer: setTimeout(send, delay) });
  change(key, true);
  return () => {
    const removal = waiting.get(key);
    if (!removal) return false;
    clearTimeout(removal.timer);
    waiting.delete(key);
    change(key, false);
    return true;
  };
}

addEventListener("pagehide", () => {
  for (const { send } of [...waiting.values()]) send();
});
