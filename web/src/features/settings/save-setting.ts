import { getSetting, setSettings } from "@/data/settings";
import type { Settings } from "@/data/types";
import { withUndo } from "@/ui/undo";

/** Changes one setting at once, with undo; a refusal restores the old value (data/settings.ts). */
export function saveSetting<K extends keyof Settings>(
  name: K,
  value: Settings[K],
  text: string,
): void {
  const old = getSetting(name);
  if (value === old) return;
  void withUndo(text, setSettings({ [name]: value }), () => setSettings({ [name]: old }));
}
