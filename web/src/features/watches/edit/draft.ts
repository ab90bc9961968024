import type {
  Candidate,
  Watch,
  WatchEvent,
  WatchFilter,
  WatchQuery,
  WatchSettings,
} from "@/data/watches";
import { minorOf, typedOf } from "@/i18n/money";

/** All events, as the editor lists them. */
export const allEvents: readonly WatchEvent[] = [
  "new",
  "dropped",
  "reached",
  "back",
  "risen",
  "sold",
  "gone",
];
const usualEvents: readonly WatchEvent[] = ["new", "dropped", "back", "reached"];

/** What a person fills in besides the layout; words and amounts as typed. */
export interface Draft {
  name: string;
  words: string;
  without: string;
  min: string;
  max: string;
  wanted: string;
  events: readonly WatchEvent[];
  details: boolean;
  /** How long what is over is kept; 0: for ever. */
  months: number;
  interval: number;
  folders: readonly string[];
  /** The site whose terms the person says permit this; empty: none yet. */
  acceptedHost: string;
}

export const newDraft: Draft = {
  name: "",
  words: "",
  without: "",
  min: "",
  max: "",
  wanted: "",
  events: usualEvents,
  details: false,
  months: 0,
  interval: 60,
  folders: [],
  acceptedHost: "",
};

export function draftOf({ name, settings, interval, lowest, host }: Watch): Draft {
  const currency = lowest?.currency ?? "";
  return {
    ...newDraft,
    name,
    words: (settings.words ?? []).join(", "),
    without: (settings.without ?? []).join(", "),
    min: typedOf(settings.min, currency),
    max: typedOf(settings.max, currency),
    wanted: typedOf(settings.wanted, currency),
    events: settings.events?.length ? settings.events : usualEvents,
    details: settings.details ?? false,
    months: settings.months ?? 0,
    interval,
    acceptedHost: host,
  };
}

/** Words with commas between them, else with blanks: "Leica M6" are two words, "Leica M6, TTL" are a phrase and a word. */
export function wordsOf(text: string): string[] {
  const parts = /[,、，\n]/.test(text) ? text.split(/[,、，\n]/) : text.split(/\s/);
  return [...new Set(parts.map((one) => one.trim()).filter((one) => one !== ""))].slice(0, 20);
}

const amounts = ["min", "max", "wanted"] as const;

/** The fields that hold no amount, and a maximum below the minimum. */
export function wrongFields(draft: Draft, currency: string): ReadonlySet<string> {
  const wrong = new Set<string>(amounts.filter((name) => minorOf(draft[name], currency) === null));
  const { min, max } = filterOf(draft, currency);
  if (min !== undefined && max !== undefined && max < min) wrong.add("max");
  return wrong;
}

export function filterOf(draft: Draft, currency: string): WatchFilter {
  const words = wordsOf(draft.words);
  const without = wordsOf(draft.without);
  const min = minorOf(draft.min, currency);
  const max = minorOf(draft.max, currency);
  return {
    ...(words.length > 0 ? { words } : {}),
    ...(without.length > 0 ? { without } : {}),
    ...(min ? { min } : {}),
    ...(max ? { max } : {}),
  };
}

interface Source {
  url: string;
  candidate: Candidate;
  currency: string;
  /** Of an adapter's search. */
  query: WatchQuery | null;
  /** What is edited; its parts that the form does not show are kept. */
  old: WatchSettings | null;
}

/** What is saved. An adapter's own layout is not copied: it is corrected for all watches in one place. */
export function settingsOf(
  draft: Draft,
  { url, candidate, currency, query, old }: Source,
): WatchSettings {
  const { adapter, layout } = candidate;
  const wanted = minorOf(draft.wanted, currency);
  const isUsual =
    draft.events.length === usualEvents.length &&
    usualEvents.every((one) => draft.events.includes(one));
  const { detail, pace } = old ?? {};
  return {
    ...(detail ? { detail } : {}),
    ...(pace ? { pace } : {}),
    ...(draft.months ? { months: draft.months } : {}),
    ...filterOf(draft, currency),
    name: draft.name.trim(),
    ...(adapter === null ? { layout } : { adapter }),
    ...(adapter !== null && query ? { query } : { url }),
    ...(wanted ? { wanted } : {}),
    ...(isUsual ? {} : { events: allEvents.filter((one) => draft.events.includes(one)) }),
    ...(draft.details ? { details: true } : {}),
  };
}

/** The currency of the rows, or empty if none says it. */
export function currencyOf(candidate: Candidate | null): string {
  return candidate?.rows.find((row) => row.currency !== "")?.currency ?? "";
}
