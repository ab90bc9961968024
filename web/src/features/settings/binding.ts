import type { CommandId } from "@/keys/commands";
import { collide, type KeyMap, type OwnKeys } from "@/keys/keymap";

/** The other commands whose keys collide with a binding. */
export function conflictsOf(map: KeyMap, keys: string, command: CommandId): CommandId[] {
  return [...map]
    .filter(([id, all]) => id !== command && all.some((one) => collide(one, keys)))
    .map(([id]) => id);
}

/** Binds a key to a command, instead of one of its keys or in addition; removes it from other commands. */
export function bind(
  map: KeyMap,
  own: OwnKeys,
  id: CommandId,
  keys: string,
  instead: string | null,
): OwnKeys {
  const next: OwnKeys = { ...own };
  for (const other of conflictsOf(map, keys, id)) {
    next[other] = (map.get(other) ?? []).filter((one) => !collide(one, keys));
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
