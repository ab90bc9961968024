import { loadPart } from "@/i18n/locale";
import { settingsCatalog } from "@/i18n/settings-catalog";

/** The screen with its own catalog. */
export async function load() {
  const [screen] = await Promise.all([import("./settings-screen"), loadPart(settingsCatalog)]);
  return { default: screen.SettingsScreen };
}
