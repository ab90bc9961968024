import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

/** The repository, and where the tests find and leave things. Each can be set from outside. */
export const root = resolve(import.meta.dirname, "../../..");

export const ruriBinary = resolve(process.env.RURI_BIN ?? join(root, "bin/ruri"));
export const artifacts = resolve(process.env.RURI_ARTIFACTS ?? join(root, "artifacts"));
export const corpus = resolve(root, process.env.RURI_CORPUS ?? "../shared/corpus");

/** Whether the reader runs in the rehearsal, the template deployed onto emulated AWS, instead of as the single binary. */
export const isRehearsal = process.env.RURI_HOME === "rehearsal";

/** The publisher, which run.ts builds. */
export const publisherBinary = () => process.env.RURI_PUBLISHER ?? "";

export function hasSanitiserCorpus(): boolean {
  return existsSync(join(corpus, "sanitize"));
}

/** `make screenshots`: every combination of theme, language and width is checked, and pictures are kept. */
export const keepsScreenshots = process.env.RURI_SCREENSHOTS === "1";

const chromium = ["chromium", "chromium-browser", "google-chrome"];
/** The same engine without the browser's own windows, which needs a third of the time for each new profile. */
const headlessShell = "chromium-headless-shell";

/** The browser of the tests, or null when there is none. */
export const findTestBrowser = () => find([headlessShell, ...chromium]);

/** The system's Chromium, or null when there is none. */
export const findChromium = () => find(chromium);

function find(names: readonly string[]): string | null {
  const named = process.env.CHROMIUM;
  if (named) return named;
  for (const name of names) {
    for (const folder of ["/usr/bin", ...(process.env.PATH ?? "").split(delimiter)]) {
      const file = join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // not in this folder
      }
    }
  }
  return null;
}
