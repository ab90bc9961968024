import { parseStored } from "./device-storage";
import { readPreference, setPreference, usePreferences } from "./preferences";
import { isSearch, type Stream, streamName } from "./routes";
import { getSetting, useSetting } from "./settings";
import type { Mode, Settings } from "./types";

// The mode that was chosen for a list, on this device: a mode never changes by itself.

const preference = "modes";
const mostKept = 300;
/** Of all folders, where none was chosen for one of them. */
const allFolders = "folders";

/** Searches and popular lists share a mode each: every query is a list of its own. */
function nameOf(stream: Stream): string {
  return isSearch(stream) || stream.kind === "explore" ? stream.kind : streamName(stream);
}

function chosen(): Record<string, Mode> {
  const stored = parseStored<unknown>(readPreference(preference), {});
  return typeof stored === "object" && stored !== null ? (stored as Record<string, Mode>) : {};
}

/** Before one is chosen: many sources are skimmed, one is read, unless the person prefers one mode for all. */
function firstMode(
  { kind }: Stream,
  view: Settings["defaultView"],
  layout: Settings["layout"],
): Mode {
  if (view === "card") return "gallery";
  if (view === "magazine" || layout === "split") return "read";
  if (layout === "inline") return "skim";
  return kind === "feed" || kind === "label" || kind === "starred" ? "read" : "skim";
}

function modeIn(all: Record<string, Mode>, stream: Stream, first: Mode): Mode {
  const name = nameOf(stream);
  const own = Object.hasOwn(all, name) ? all[name] : undefined;
  return own ?? (stream.kind === "folder" ? all[allFolders] : undefined) ?? first;
}

export function modeOf(stream: Stream): Mode {
  const first = firstMode(stream, getSetting("defaultView"), getSetting("layout"));
  return modeIn(chosen(), stream, first);
}

export function useMode(stream: Stream): Mode {
  const first = firstMode(stream, useSetting("defaultView"), useSetting("layout"));
  return usePreferences(() => modeIn(chosen(), stream, first));
}

export function keepMode(stream: Stream, mode: Mode): void {
  const { [nameOf(stream)]: _, ...rest } = chosen();
  const kept = Object.entries({ ...rest, [nameOf(stream)]: mode }).slice(-mostKept);
  setPreference(preference, JSON.stringify(Object.fromEntries(kept)));
}

/** For every folder, also those for which another was chosen. */
export function keepForFolders(mode: Mode): void {
  const others = Object.entries(chosen()).filter(([name]) => !name.startsWith("folder:"));
  setPreference(preference, JSON.stringify({ ...Object.fromEntries(others), [allFolders]: mode }));
}

/** Whether a mode was chosen for a folder before. */
export function hasFolderMode(): boolean {
  return Object.keys(chosen()).some((name) => name.startsWith("folder"));
}
