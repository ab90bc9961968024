import { globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { lingui, linguiTransformerBabelPreset } from "@lingui/vite-plugin";
import babel from "@rolldown/plugin-babel";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { buildWorker } from "./scripts/worker.ts";

// The Go embed cannot reach outside its own folder, so the page is built into it.
const outDir = "../internal/assets/webui/dist";

/** Modules of which the first screen needs none; the budget shows when this list is out of date. */
const lazyOnly = [
  /src\/(app\/pane-failed|ui\/(copy-code|countdown|error-help))\./,
  /src\/(i18n\/next-check|app\/drop-hint)\./,
  /src\/features\/reader\/(feed-notice|item-menu|look-menu|opened|row-gestures)\./,
  /locales\//,
  /src\/features\/(auth|help|manage|rules|settings|stats|subscriptions)\//,
  /src\/features\/reader\/(article\/|(menus|pins-menu|tab-bar|list-states|deeds|new-items-pill|scroll-read)\.)/,
  /src\/(features\/(palette|reader\/side)\/|data\/(folders|labels|mark-place)\.)/,
  /src\/app\/(background|offline-bar|update-pill|use-offline-copy)\./,
  /src\/data\/(account\/|touch\.)/,
  /src\/i18n\/settings-words\./,
  /src\/features\/onboarding\//,
  /src\/(data\/(discover|imports|opml|starred-file)|ui\/save-file)\./,
  /src\/data\/(worker-talk\.|offline\/)/,
  /src\/(app\/open-pins|data\/(pins|preference-set))\./,
  /src\/keys\/deliver\./,
  /src\/data\/(dead-letters|feed-address|login|logout|runs|sign-in|stats(-more)?|trusted|welcome)\./,
  /src\/data\/(feed-repair|fetches|folder-paths|full-text|hidden|item-labels|leave-feed|opml-import|resubscribe|rules|subscriptions|turns)\./,
  /src\/(i18n\/(error-words|next-check|problem-text|too-large|wait-text)|ui\/error-note)\./,
  /src\/data\/(feed-(add|refresh|remove|resume)|mark-read|news|outbox(-device|-store)?|refresh-list|waiting)\./,
  /src\/ui\/(dialog|logo|menu|new-name|note|page|use-focus-keeper|view-transition)\./,
];

const isLazy = (path: string) => lazyOnly.some((one) => one.test(path));

// Parts that come one right after the other are one file: each more is a request, and work for the browser.
const ofCommon =
  /src\/(i18n\/(error-words|next-check|problem-text)|ui\/(error-note|logo|menu|note|dialog)|data\/(trusted|touch|welcome))\./;
const ofDevice = /src\/data\/(logout|offline\/(keeper|kinds|store))\./;
const ofShell =
  /src\/(features\/reader\/(side\/(?!tree|use-side-tree)|(menus|pins-menu|look-menu|new-items-pill|list-states|row-gestures)\.)|ui\/view-transition\.|data\/(mark-place|preference-set)\.)/;
const ofDeeds =
  /src\/(data\/(feed-(add|refresh|remove|resume)|folder-paths|folders|labels|leave-feed|mark-read|news|outbox(-device|-store)?|pins|refresh-list|resubscribe|rules|subscriptions|turns|waiting)\.|i18n\/wait-text\.|features\/reader\/(deeds|side\/(tree|use-side-tree))\.)/;

/** How many files show an icon, by its name: of the first screen, and of the lazy parts. */
const shown = { entry: new Map<string, number>(), lazy: new Map<string, number>() };
for (const file of globSync("src/**/*.{ts,tsx}", { cwd: import.meta.dirname })) {
  if (file.includes(".test.")) continue;
  const source = readFileSync(join(import.meta.dirname, file), "utf8");
  const names = /import \{([^}]*)\} from "lucide-react"/.exec(source)?.[1] ?? "";
  const counts = isLazy(file) ? shown.lazy : shown.entry;
  for (const name of names.match(/[A-Z]\w*/g) ?? []) {
    const icon = name.replace(/\B[A-Z]|(?<=[a-z])\d/g, "-$&").toLowerCase();
    counts.set(icon, (counts.get(icon) ?? 0) + 1);
  }
}

const iconOf = (id: string) => /lucide-react\/dist\/esm\/icons\/(.+)\.m?js$/.exec(id)?.[1];

function isOfEntry(id: string): boolean {
  const icon = iconOf(id);
  return icon === undefined ? !isLazy(id) : shown.entry.has(icon);
}

/** An icon that one lazy part shows stays with it. */
function isCommon(id: string): boolean {
  const icon = iconOf(id);
  return icon === undefined ? ofCommon.test(id) : (shown.lazy.get(icon) ?? 0) > 1;
}

export default defineConfig({
  plugins: [
    react(),
    lingui({ failOnMissing: true, failOnCompileError: true }),
    babel({ presets: [linguiTransformerBabelPreset()] }),
    tailwindcss(),
    ahead(),
    finish(),
  ],
  resolve: {
    alias: {
      "@": new URL("./src", import.meta.url).pathname,
      // wouter brings a stand-in for what React has had since 18.
      "use-sync-external-store/shim/index.js": "react",
    },
  },
  build: {
    outDir,
    emptyOutDir: true,
    manifest: true,
    target: "es2023",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // What the first screen needs is one file: the bundler would split off whatever a lazy part shares
        // with it, and each file more is a request before the first paint.
        codeSplitting: {
          groups: [
            // Each takes along what it needs, but for what those before it have.
            { name: "main", test: isOfEntry, priority: 5 },
            // What many lazy parts say and offer.
            { name: "common", test: isCommon, priority: 4 },
            { name: "device", test: ofDevice, priority: 3 },
            // What lists, menus and side bar do, and what stands around every list.
            { name: "deeds", test: ofDeeds, priority: 2 },
            { name: "shell", test: ofShell, priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ["/api", "/auth", "/healthz", "/samples"].map((path) => [
        path,
        { target: "http://127.0.0.1:8080" },
      ]),
    ),
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/testing/setup.ts"],
    restoreMocks: true,
    testTimeout: 30_000,
  },
});

/** Tells the page's first lines where the catalog of each language is, and what shows an item (index.html). */
function ahead(): Plugin {
  return {
    name: "ruri-ahead",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (_html, { bundle = {} }) => {
        const files = Object.values(bundle).filter((file) => file.type === "chunk");
        const entry = files.find((file) => file.isEntry)?.fileName;
        return files.flatMap((file) => {
          const language = /\/locales\/(\w+)\.po/.exec(file.facadeModuleId ?? "")?.[1];
          const isItem = /\/article\/article-pane\./.test(file.facadeModuleId ?? "");
          if (!language && !isItem) return [];
          const styles = file.viteMetadata?.importedCss ?? [];
          const needed = isItem ? [...file.imports.filter((one) => one !== entry), ...styles] : [];
          const content = [file.fileName, ...needed].map((one) => `/${one}`).join(" ");
          const attrs = { name: language ? `words-${language}` : "item", content };
          return [{ tag: "meta", attrs, injectTo: "head-prepend" as const }];
        });
      },
    },
  };
}

/** What is made from the built page: its worker, and a .gz and a .br beside every text file. */
function finish(): Plugin {
  return {
    name: "ruri-finish",
    apply: "build",
    async closeBundle() {
      // The folder is kept in the repository by this file; emptyOutDir removes it.
      writeFileSync(join(outDir, ".gitkeep"), "");
      await buildWorker(import.meta.dirname, join(import.meta.dirname, outDir));
      precompress();
    },
  };
}

/** So that the server never compresses the page. */
function precompress(): void {
  for (const entry of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(html|js|css|svg|json|webmanifest)$/.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const body = readFileSync(file);
    if (body.length < 600) continue;
    writeFileSync(`${file}.gz`, gzipSync(body, { level: 9 }));
    writeFileSync(
      `${file}.br`,
      brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    );
  }
}
