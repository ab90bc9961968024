import { readPreference, setPreference } from "@/data/preferences";
import { getSetting } from "@/data/settings";
import type { Settings } from "@/data/types";
import { type CommandId, commands } from "./commands";

/**
 * The live map: a preset with the person's own keys over it. The preset is a setting of theirs (the API's
 * `keymap`); own keys belong to the device, as a keyboard does.
 */
export type OwnKeys = Partial<Record<CommandId, readonly string[]>>;
export type KeyMap = ReadonlyMap<CommandId, readonly string[]>;

/** What Livedoor Reader had elsewhere, and where its commands went that lose a key by it. */
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

/** Keys that type nothing; the off switch leaves them, for going in and out (WCAG 2.2, 2.1.4). */
const typesNothing = /^((Shift\+)?(Enter|Escape|F\d+)|Mod\+.)$/;

/** Two bindings cannot both be: they are the same, or one is the beginning of the other. */
export function collide(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b} `) || b.startsWith(`${a} `);
}

/** Own keys come first: what collides with one is left out of the preset. */
export function mapOf(preset: Settings["keymap"], own: OwnKeys): KeyMap {
  // Not by commands that there were in an earlier version.
  const taken = commands.flatMap(({ id }) => own[id] ?? []);
  const usual = preset === "ldr" ? ldr : {};
  return new Map(
    commands.map(({ id, keys }) => {
      const all =
        own[id] ?? (usual[id] ?? keys).filter((one) => !taken.some((key) => collide(one, key)));
      return [id, preset === "none" ? all.filter((one) => typesNothing.test(one)) : all];
    }),
  );
}

export function ownKeys(): OwnKeys {
  try {
    return JSON.parse(readPreference("keys") ?? "{}");
  } catch {
    return {};
  }
}

export function setOwnKeys(own: OwnKeys): void {
  setPreference("keys", JSON.stringify(own));
}

let made: { from: string; map: KeyMap } | null = null;

export function liveKeys(): KeyMap {
  const preset = getSetting("keymap");
  const from = `${preset} ${readPreference("keys")}`;
  if (made?.from !== from) made = { from, map: mapOf(preset, ownKeys()) };
  return made.map;
}

export function keysOf(id: CommandId): readonly string[] {
  return liveKeys().get(id) ?? [];
}
