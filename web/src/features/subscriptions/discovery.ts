import { useCallback, useEffect, useRef, useState } from "react";
import { type ApiError, toApiError } from "@/data/api-error";
import { discover, type Offer } from "@/data/discover";

export interface Candidate {
  url: string;
  title: string;
}

/** The search for the feeds of an address, as far as it is. */
export type Search =
  | { state: "idle"; url: "" }
  | { state: "looking"; url: string }
  | { state: "found"; url: string; offers: readonly Offer[] }
  | { state: "failed"; url: string; error: ApiError };

const idle: Search = { state: "idle", url: "" };

/** One search at a time: a new one ends the one before, closing the dialog ends the last. */
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
 * What a person typed, pasted or shared. The server completes an address without a scheme and knows "feed:"; of a
 * shared text it is the first address in it.
 */
export function addressIn(typed: string): string {
  const text = typed.trim();
  if (!/\s/.test(text)) return text;
  return /(?:https?|feed):\S+/i.exec(text)?.[0] ?? text;
}

/** The one that most people want: new to them, and known to be a feed. */
export function bestOffer(offers: readonly Offer[]): Offer | undefined {
  return (
    offers.find((one) => !one.isSubscribed && one.isChecked) ??
    offers.find((one) => !one.isSubscribed) ??
    offers[0]
  );
}

export function candidatesOf(error: ApiError): Candidate[] {
  const list = error.problem.candidates;
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: unknown) => {
    const { url, title } = (one ?? {}) as Record<string, unknown>;
    return typeof url === "string" ? [{ url, title: typeof title === "string" ? title : "" }] : [];
  });
}

export function triedOf(error: ApiError): string[] {
  const list = error.problem.tried;
  if (!Array.isArray(list)) return [];
  return list.filter((one): one is string => typeof one === "string");
}

/** What may be opened in a new tab; null for what is no address of the web. */
export function webAddress(typed: string): string | null {
  const text = /^[a-z][a-z0-9+.-]*:/i.test(typed) ? typed.replace(/^feed:(\/\/)?/i, "") : typed;
  try {
    const url = new URL(/^https?:\/\//i.test(text) ? text : `https://${text}`);
    return url.host.includes(".") || url.port !== "" ? url.href : null;
  } catch {
    return null;
  }
}
