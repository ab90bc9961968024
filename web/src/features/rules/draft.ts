import type { Condition, Rule } from "@/data/rules";
import { wordsIn } from "@/data/search-terms";
import { getSetting } from "@/data/settings";

/** A rule as the form edits it: one text for the words of a condition, checkboxes for actions. */
export interface Draft {
  id: string;
  name: string;
  isEnabled: boolean;
  isScoped: boolean;
  feeds: readonly string[];
  folders: readonly string[];
  match: Rule["match"];
  conditions: readonly DraftCondition[];
  hide: boolean;
  read: boolean;
  star: boolean;
  labels: readonly string[];
  /** Webhooks that get what the rule finds. */
  sendTo: readonly string[];
  stop: boolean;
}

export interface DraftCondition {
  /** Keeps the row's focus while others come and go. */
  key: number;
  field: Condition["field"];
  mode: Condition["mode"];
  isNegated: boolean;
  text: string;
  /** Of a search. */
  kana: "fold" | "exact";
}

let lastKey = 0;

export function newCondition(): DraftCondition {
  lastKey += 1;
  return { key: lastKey, field: "title", mode: "any", isNegated: false, text: "", kana: "exact" };
}

export function newDraft(feed: string | null): Draft {
  return {
    id: "",
    name: "",
    isEnabled: true,
    isScoped: feed !== null,
    feeds: feed === null ? [] : [feed],
    folders: [],
    match: "all",
    conditions: [newCondition()],
    hide: false,
    read: false,
    star: false,
    labels: [],
    sendTo: [],
    stop: false,
  };
}

/**
 * A rule that matches what a search finds, in its feed ("f12") or folder ("d3"). Days, and whether an item is read or
 * starred, mean nothing for new items.
 */
export function draftFromSearch(q: string, place: string): Draft {
  const id = place.slice(1);
  const kana = getSetting("searchKana") ? "fold" : "exact";
  return {
    ...newDraft(null),
    isScoped: place !== "",
    feeds: place.startsWith("f") ? [id] : [],
    folders: place.startsWith("d") ? [id] : [],
    conditions: [{ ...newCondition(), field: "anywhere", mode: "search", text: wordsIn(q), kana }],
  };
}

export function draftOf(rule: Rule): Draft {
  const does = (type: string) => rule.actions.some((action) => action.type === type);
  return {
    id: rule.id,
    name: rule.name,
    isEnabled: rule.isEnabled,
    isScoped: rule.feeds.length + rule.folders.length > 0,
    feeds: rule.feeds,
    folders: rule.folders,
    match: rule.match,
    conditions: rule.conditions.map(({ field, mode, isNegated, words, pattern, kana }) => ({
      ...newCondition(),
      field,
      mode,
      isNegated,
      text: pattern ?? (words ?? []).join(", "),
      kana: kana ?? "exact",
    })),
    hide: does("hide"),
    read: does("read"),
    star: does("star"),
    labels: rule.actions.flatMap(({ labelId }) => labelId ?? []),
    sendTo: rule.actions.flatMap(({ webhookId }) => webhookId ?? []),
    stop: rule.stop,
  };
}

export function ruleOf(draft: Draft): Rule {
  const checked = (["hide", "read", "star"] as const).filter((type) => draft[type]);
  return {
    id: draft.id,
    name: draft.name.trim(),
    isEnabled: draft.isEnabled,
    feeds: draft.isScoped ? [...draft.feeds] : [],
    folders: draft.isScoped ? [...draft.folders] : [],
    match: draft.match,
    conditions: draft.conditions.map(({ field, mode, isNegated, text, kana }) => {
      if (mode === "regexp") return { field, mode, isNegated, pattern: text };
      if (mode === "search") return { field: "anywhere", mode, isNegated, pattern: text, kana };
      const words = mode === "phrase" ? [text.trim()] : wordsOf(text);
      return { field, mode, isNegated, words };
    }),
    actions: [
      ...checked.map((type) => ({ type })),
      ...draft.labels.map((labelId) => ({ type: "label" as const, labelId })),
      ...draft.sendTo.map((webhookId) => ({ type: "send" as const, webhookId })),
    ],
    stop: draft.stop,
  };
}

/** Words are separated by commas of either script, or by lines. */
export function wordsOf(text: string): string[] {
  return text
    .split(/[,、，\n]/)
    .map((word) => word.trim())
    .filter(Boolean);
}

export type Fault = "words" | "pattern" | "actions" | "scope";

/** Faults that the form can find, by part of the form: `conditions.0`, `actions`, `scope`. */
export function faultsOf(draft: Draft): ReadonlyMap<string, Fault> {
  const faults = new Map<string, Fault>();
  if (draft.isScoped && draft.feeds.length + draft.folders.length === 0)
    faults.set("scope", "scope");
  draft.conditions.forEach(({ mode, text }, at) => {
    if (mode === "regexp" ? text === "" : wordsOf(text).length === 0) {
      faults.set(`conditions.${at}`, mode === "regexp" ? "pattern" : "words");
    }
  });
  if (ruleOf(draft).actions.length === 0) faults.set("actions", "actions");
  return faults;
}

/** The part of the form for a field of the request: "rules[2].conditions[0].pattern" is `conditions.0`. */
export function formPart(field: string): string {
  const inside = field.replace(/^rules\[\d+\]\./, "");
  const condition = /^conditions\[(\d+)\]/.exec(inside);
  if (condition) return `conditions.${condition[1]}`;
  if (/^actions/.test(inside)) return "actions";
  if (/^(feeds|folders)/.test(inside)) return "scope";
  return inside === "name" ? "name" : "rule";
}
