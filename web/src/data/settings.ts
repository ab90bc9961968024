import { api } from "./client";
import { parseStored, readStored, writeStored } from "./device-storage";
import { createQueue } from "./request-queue";
import { createStore, useStore } from "./store";
import type { Settings } from "./types";

/**
 * The person's settings: the server has them and this device a copy, so that the first paint is right. What belongs to
 * the device alone (widths, closed folders) is in preferences.ts.
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
  searchKana: false,
  countUse: true,
  welcomed: false,
};

const key = "ruri.settings";
const settings = createStore<Settings>({
  ...defaults,
  ...parseStored<Partial<Settings>>(readStored(key), {}),
});
let confirmed = settings.get();
/** False until the server has sent settings: until then choices stay on the device. */
let isSignedIn = false;
/** Changes made before, which go to the server after. */
const waiting: (() => void)[] = [];
let pending = 0;
const enqueue = createQueue();

function put(next: Settings): void {
  writeStored(key, JSON.stringify(next));
  settings.set(next);
}

export function getSetting<K extends keyof Settings>(name: K): Settings[K] {
  return settings.get()[name];
}

export const onSettingsChange = settings.subscribe;

export function useSetting<K extends keyof Settings>(name: K): Settings[K] {
  return useStore(settings, (current) => current[name]);
}

/** Takes over settings from the server, except while changes are on their way there. */
export function adoptSettings(received: Settings): void {
  const next = { ...received };
  // What was chosen on this device before signing in holds where nothing was ever chosen.
  if (!isSignedIn) {
    const { theme, language } = settings.get();
    if (next.theme === "auto") next.theme = theme;
    if (next.language === "auto") next.language = language;
  }
  isSignedIn = true;
  confirmed = received;
  if (pending === 0) put(next);
  for (const go of waiting.splice(0)) go();
}

/** Changes settings at once; a refusal restores the old ones and is thrown. One request after the other. */
export async function setSettings(patch: Partial<Settings>): Promise<void> {
  put({ ...settings.get(), ...patch });
  if (!isSignedIn) {
    if (readStored("ruri.user") === null) return;
    // The person is signed in, and what the server sends is older than this choice.
    await new Promise<void>((resolve) => waiting.push(resolve));
    put({ ...settings.get(), ...patch });
  }
  pending += 1;
  await enqueue(async () => {
    try {
      confirmed = await api.put("/api/user/preferences", { body: patch as Settings });
    } finally {
      pending -= 1;
      if (pending === 0) put(confirmed);
    }
  });
}

/** Another person may sign in here: theme and language stay with the device, the rest goes. */
export function forgetSettings(): void {
  const { theme, language } = settings.get();
  isSignedIn = false;
  waiting.length = 0;
  put({ ...defaults, theme, language });
  confirmed = settings.get();
}
