import { getSetting, setSettings } from "@/data/settings";
import type { Settings } from "@/data/types";
import { withUndo } from "@/ui/undo";

/**
 * Changes one setting at once, with undo; a refusal restores the old value (data/settings.ts). `onSaved` runs when the server
 * has it, also after undo.
 */
export function saveSetting<K extends keyof Settings>(
  name: K,
  value: Settings[K],
  text: string,
  onSaved?: () => void,
): void {
  const old = getSetting(name);
  if (value === old) return;
  const save = (chosen: Settings[K]) => setSettings({ [name]: chosen }).then(onSaved);
  void withUndo(text, save(value), () => save(old));
}
