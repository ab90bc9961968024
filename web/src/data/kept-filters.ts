import { parseStored } from "./device-storage";
import { readPreference, setPreference } from "./preferences";
import type { Filter } from "./types";

// The filter that was chosen for a feed, a folder or a label, on this device. All is not kept.

const preference = "filters";
const mostKept = 300;

function kept(): Record<string, Filter> {
  const stored = parseStored<unknown>(readPreference(preference), {});
  return typeof stored === "object" && stored !== null ? (stored as Record<string, Filter>) : {};
}

export function keptFilter(stream: string): Filter {
  const all = kept();
  const filter = Object.hasOwn(all, stream) ? all[stream] : undefined;
  return filter === "unread" || filter === "starred" ? filter : "all";
}

export function keepFilter(stream: string, filter: Filter): void {
  if (keptFilter(stream) === filter) return;
  const { [stream]: _, ...rest } = kept();
  const next = filter === "all" ? rest : { ...rest, [stream]: filter };
  setPreference(
    preference,
    JSON.stringify(Object.fromEntries(Object.entries(next).slice(-mostKept))),
  );
}
