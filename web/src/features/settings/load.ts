import { loadPart } from "@/i18n/locale";
import { settingsWords } from "@/i18n/settings-words";

/** The screen, with the words that only it says. */
export async function load() {
  const [screen] = await Promise.all([import("./settings-screen"), loadPart(settingsWords)]);
  return { default: screen.SettingsScreen };
}
