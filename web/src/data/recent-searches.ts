import { useMemo } from "react";
import { parseStored } from "./device-storage";
import { note } from "./notes";
import { readPreference, setPreference, useText } from "./preferences";
import { wordsIn } from "./search-terms";

const name = "searches";
const most = 20;

interface Recent {
  user: string;
  list: readonly string[];
}

/** What this person searched for on this device, the last one first. The list never leaves the device. */
export function useRecentSearches(user: string | undefined): readonly string[] {
  const stored = useText(name);
  return useMemo(() => read(stored, user), [stored, user]);
}

export function rememberSearch(user: string | undefined, q: string): void {
  if (user === undefined || q === "") return;
  note("searched", wordsIn(q));
  const others = read(readPreference(name), user).filter((one) => one !== q);
  const recent: Recent = { user, list: [q, ...others].slice(0, most) };
  setPreference(name, JSON.stringify(recent));
}

export function forgetSearches(): void {
  setPreference(name, "");
}

/** What somebody else left here is not shown. */
function read(stored: string | null, user: string | undefined): readonly string[] {
  const recent = parseStored<Partial<Recent> | null>(stored, null);
  if (user === undefined || recent?.user !== user || !Array.isArray(recent.list)) return [];
  return recent.list.filter((one) => typeof one === "string");
}
