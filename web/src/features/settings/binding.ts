import type { CommandId } from "@/keys/commands";
import { collide, type KeyMap, type OwnKeys } from "@/keys/keymap";

/** Who has a key that somebody wants, or one that begins with it. */
export function holdersOf(map: KeyMap, keys: string, wanter: CommandId): CommandId[] {
  return [...map]
    .filter(([id, all]) => id !== wanter && all.some((one) => collide(one, keys)))
    .map(([id]) => id);
}

/** Gives a command a key, in place of another of its own or beside them; who had it has it no longer. */
export function bind(
  map: KeyMap,
  own: OwnKeys,
  id: CommandId,
  keys: string,
  instead: string | null,
): OwnKeys {
  const next: OwnKeys = { ...own };
  for (const holder of holdersOf(map, keys, id)) {
    next[holder] = (map.get(holder) ?? []).filter((one) => !collide(one, keys));
  }
  const before = (map.get(id) ?? []).filter((one) => one === instead || !collide(one, keys));
  next[id] =
    instead !== null && before.includes(instead)
      ? before.map((one) => (one === instead ? keys : one))
      : [...before, keys];
  return next;
}

export function unbind(map: KeyMap, own: OwnKeys, id: CommandId, keys: string): OwnKeys {
  return { ...own, [id]: (map.get(id) ?? []).filter((one) => one !== keys) };
}
