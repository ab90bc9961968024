import { useSyncExternalStore } from "react";
import { readPreference, setPreference, subscribePreferences } from "./preferences";

/** A set of names (closed folders), stored as JSON. */
export function usePreferenceSet(name: string): [ReadonlySet<string>, (value: string) => void] {
  const raw = useSyncExternalStore(subscribePreferences, () => readPreference(name) ?? "[]");
  const set = parseSet(raw);
  const toggle = (value: string) => {
    const next = new Set(set);
    if (!next.delete(value)) next.add(value);
    setPreference(name, JSON.stringify([...next]));
  };
  return [set, toggle];
}

function parseSet(raw: string): Set<string> {
  try {
    const list: unknown = JSON.parse(raw);
    return new Set(Array.isArray(list) ? list.filter((one) => typeof one === "string") : []);
  } catch {
    return new Set();
  }
}
