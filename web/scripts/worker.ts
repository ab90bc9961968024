// Builds the service worker after the page, with the list of the page's files in it (docs/develop/decisions/0501).
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "vite";

/** Not of the shell: what the browser asks for by itself, and what is made from the rest. */
const aside = /^(?:\.|icons\/|help\/|worker\.js|app\.webmanifest)|\.(?:gz|br|map)$/;

/** The page's files: what has its hash in the name, and the rest with a digest of its content. */
export function partsOf(dist: string): [string, string | null][] {
  return readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dist, join(entry.parentPath, entry.name)))
    .filter((name) => !aside.test(name))
    .sort()
    .map((name) => [
      `/${name}`,
      name.startsWith("assets/")
        ? null
        : createHash("sha256")
            .update(readFileSync(join(dist, name)))
            .digest("hex"),
    ]);
}

export async function buildWorker(root: string, dist: string): Promise<void> {
  const parts = partsOf(dist);
  const id = createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 12);
  await build({
    configFile: false,
    root,
    publicDir: false,
    logLevel: "warn",
    define: { __BUILD__: JSON.stringify({ id, parts }) },
    build: {
      outDir: dist,
      emptyOutDir: false,
      target: "es2023",
      rolldownOptions: {
        input: join(root, "src/worker/worker.ts"),
        output: { entryFileNames: "worker.js", format: "iife", codeSplitting: false },
      },
    },
  });
}
