import { parseStored } from "@/data/device-storage";
import { readPreference, setPreference } from "@/data/preferences";
import { getSetting } from "@/data/settings";
import type { Settings } from "@/data/types";
import { type CommandId, commandIds, readerKeys } from "./commands";

/**
 * The live map: a preset overridden by the person's own keys. The preset is one of their settings (`keymap` in the API);
 * own keys belong to the device, as a keyboard does.
 */
export type OwnKeys = Partial<Record<CommandId, readonly string[]>>;
export type KeyMap = ReadonlyMap<CommandId, readonly string[]>;

/** The keys of Livedoor Reader where they differ, and of the commands that lose a key by it. */
const ldr: OwnKeys = {
  "feed.next": ["s", "Shift+J"],
  "feed.previous": ["a", "Shift+K"],
  "item.pin": ["p"],
  "pins.open": ["o"],
  "item.star": ["Shift+S"],
  "item.toggle": ["c"],
  "cursor.previous": ["Shift+N"],
  "feed.add": ["Shift+F"],
};

/** Keys that type nothing; they stay when shortcuts are off (WCAG 2.2, 2.1.4). */
const typesNothing = /^((Shift\+)?(Enter|Escape|F\d+)|Mod\+.)$/;

/** Whether two bindings exclude each other: they are the same, or one is the beginning of the other. */
export function collide(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b} `) || b.startsWith(`${a} `);
}

/** Own keys take precedence: keys of the preset that collide with one are left out. */
export function mapOf(preset: Settings["keymap"], own: OwnKeys): KeyMap {
  // Without those of commands that no longer exist.
  const taken = commandIds.flatMap((id) => own[id] ?? []);
  const usual = preset === "ldr" ? ldr : {};
  return new Map(
    commandIds.map((id) => {
      const all =
        own[id] ??
        (usual[id] ?? readerKeys[id]).filter((one) => !taken.some((key) => collide(one, key)));
      return [id, preset === "none" ? all.filter((one) => typesNothing.test(one)) : all];
    }),
  );
}

export function ownKeys(): OwnKeys {
  return parseStored<OwnKeys>(readPreference("keys"), {});
}

export function setOwnKeys(own: OwnKeys): void {
  setPreference("keys", JSON.stringify(own));
}

let cached: { from: string; map: KeyMap } | null = null;

export function liveKeys(): KeyMap {
  const preset = getSetting("keymap");
  const from = `${preset} ${readPreference("keys")}`;
  if (cached?.from !== from) cached = { from, map: mapOf(preset, ownKeys()) };
  return cached.map;
}

export function keysOf(id: CommandId): readonly string[] {
  return liveKeys().get(id) ?? [];
}
