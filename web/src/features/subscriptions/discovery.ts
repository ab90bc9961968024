import { useCallback, useEffect, useRef, useState } from "react";
import { type ApiError, toApiError } from "@/data/api-error";
import { discover, type Offer } from "@/data/discover";

/** The state of a search for the feeds of an address. */
type Search =
  | { state: "idle"; url: "" }
  | { state: "looking"; url: string }
  | { state: "found"; url: string; offers: readonly Offer[] }
  | { state: "failed"; url: string; error: ApiError };

const idle: Search = { state: "idle", url: "" };

/** One search at a time: a new one or unmounting aborts it. */
export function useDiscovery() {
  const [search, setSearch] = useState<Search>(idle);
  const running = useRef<AbortController | null>(null);

  const look = useCallback(async (url: string) => {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    setSearch({ state: "looking", url });
    try {
      const offers = await discover(url, abort.signal);
      if (!abort.signal.aborted) setSearch({ state: "found", url, offers });
    } catch (cause) {
      if (!abort.signal.aborted) setSearch({ state: "failed", url, error: toApiError(cause) });
    }
  }, []);

  const stop = useCallback(() => {
    running.current?.abort();
    setSearch(idle);
  }, []);

  useEffect(() => () => running.current?.abort(), []);
  return { search, look, stop };
}

/**
 * The address in what was typed, pasted or shared: of a text with blanks the first address. The server completes one
 * without a scheme, and accepts "feed:".
 */
export function addressIn(typed: string): string {
  const text = typed.trim();
  if (!/\s/.test(text)) return text;
  return /(?:https?|feed):\S+/i.exec(text)?.[0] ?? text;
}

/** The preselected offer: not subscribed to, and checked by the server. */
export function bestOffer(offers: readonly Offer[]): Offer | undefined {
  return (
    offers.find((one) => !one.isSubscribed && one.isChecked) ??
    offers.find((one) => !one.isSubscribed) ??
    offers[0]
  );
}

/** An address to open in a new tab; null for other text. */
export function webAddress(typed: string): string | null {
  const text = /^[a-z][a-z0-9+.-]*:/i.test(typed) ? typed.replace(/^feed:(\/\/)?/i, "") : typed;
  try {
    const url = new URL(/^https?:\/\//i.test(text) ? text : `https://${text}`);
    return url.host.includes(".") || url.port !== "" ? url.href : null;
  } catch {
    return null;
  }
}
