import { loadPart } from "@/i18n/locale";
import { watchesCatalog } from "@/i18n/watches-catalog";

/** The screens with their own catalog. */
export async function load() {
  const [screen] = await Promise.all([import("./watches-screen"), loadPart(watchesCatalog)]);
  return { default: screen.WatchesScreen };
}
