import { useSyncExternalStore } from "react";
import { api } from "./client";
import type { Settings } from "./types";

/**
 * The person's settings: the server has them, this device a copy, so that the first paint is as they want it. What
 * belongs to the device alone (widths, closed folders) is in preferences.ts.
 */
export const defaults: Settings = {
  theme: "auto",
  itemsPerPage: 50,
  showImages: true,
  autoMarkAsRead: true,
  defaultView: "list",
  markOnScroll: false,
  layout: "auto",
  density: "normal",
  language: "auto",
  readingFont: "sans",
  textStep: 0,
  lineHeight: "auto",
  measure: "normal",
  order: "new",
  keymap: "reader",
  welcomed: false,
};

const place = "ruri.settings";
let current: Settings = kept();
let confirmed = current;
/** Nobody is signed in before the server has said what they set: choices stay on the device. */
let isTheirs = false;
let waiting = 0;
let tail: Promise<unknown> = Promise.resolve();
const listeners = new Set<() => void>();

function kept(): Settings {
  try {
    return { ...defaults, ...JSON.parse(localStorage.getItem(place) ?? "{}") };
  } catch {
    return defaults; // storage is forbidden, or holds what is none of ours
  }
}

function put(next: Settings): void {
  current = next;
  try {
    localStorage.setItem(place, JSON.stringify(next));
  } catch {
    // kept in memory
  }
  for (const listener of listeners) listener();
}

export function getSetting<K extends keyof Settings>(name: K): Settings[K] {
  return current[name];
}

export function listenForSettings(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSetting<K extends keyof Settings>(name: K): Settings[K] {
  return useSyncExternalStore(listenForSettings, () => current[name]);
}

/** The server said what is set; changes that are on their way stay. */
export function adoptSettings(settings: Settings): void {
  // What was chosen on this device before signing in holds where nothing was ever chosen.
  const chosen = isTheirs
    ? {}
    : {
        ...(settings.theme === "auto" ? { theme: current.theme } : {}),
        ...(settings.language === "auto" ? { language: current.language } : {}),
      };
  isTheirs = true;
  confirmed = settings;
  if (waiting === 0) put({ ...settings, ...chosen });
}

/** Changes settings at once; a refusal puts the old ones back and is thrown. One request after the other. */
export function setSettings(patch: Partial<Settings>): Promise<void> {
  put({ ...current, ...patch });
  if (!isTheirs) return Promise.resolve();
  waiting += 1;
  const turn = tail.then(async () => {
    try {
      confirmed = await api.put("/api/user/preferences", { body: patch as Settings });
    } finally {
      waiting -= 1;
      if (waiting === 0) put(confirmed);
    }
  });
  tail = turn.catch(() => undefined);
  return turn;
}

/** Another person may sign in here: theme and language stay with the device, the rest goes. */
export function forgetSettings(): void {
  isTheirs = false;
  put({ ...defaults, theme: current.theme, language: current.language });
  confirmed = current;
}
