import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

/** The repository, and where the tests find and leave things. Each can be set from outside. */
export const root = resolve(import.meta.dirname, "../../..");

export const ruriBinary = resolve(process.env.RURI_BIN ?? join(root, "bin/ruri"));
export const artifacts = resolve(process.env.RURI_ARTIFACTS ?? join(root, "artifacts"));
export const corpus = resolve(root, process.env.RURI_CORPUS ?? "../shared/corpus");

/** Where the reader runs: the single binary on this machine, or the template deployed onto emulated AWS. */
export const home: "machine" | "rehearsal" =
  process.env.RURI_HOME === "rehearsal" ? "rehearsal" : "machine";

/** The built publisher; run.ts builds it and sets this. */
export const publisherBinary = process.env.RURI_PUBLISHER ?? "";

export function hasSanitiserCorpus(): boolean {
  return existsSync(join(corpus, "sanitize"));
}

/** The system's Chromium, or null when there is none. */
export function findChromium(): string | null {
  const named = process.env.CHROMIUM;
  if (named) return named;
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    for (const folder of ["/usr/bin", ...(process.env.PATH ?? "").split(delimiter)]) {
      const file = join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // not there
      }
    }
  }
  return null;
}
