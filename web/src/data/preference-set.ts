import { parseStored } from "./device-storage";
import { setPreference, useText } from "./preferences";

/** A set of names (closed folders), stored as JSON. */
export function usePreferenceSet(name: string): [ReadonlySet<string>, (value: string) => void] {
  const stored = parseStored<unknown>(useText(name), []);
  const set = new Set<string>(
    Array.isArray(stored) ? stored.filter((one) => typeof one === "string") : [],
  );
  const toggle = (value: string) => {
    const next = new Set(set);
    if (!next.delete(value)) next.add(value);
    setPreference(name, JSON.stringify([...next]));
  };
  return [set, toggle];
}
