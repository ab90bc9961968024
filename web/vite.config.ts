import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { lingui, linguiTransformerBabelPreset } from "@lingui/vite-plugin";
import babel from "@rolldown/plugin-babel";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { firstFrameStyle } from "./scripts/first-frame.ts";
import { buildWorker } from "./scripts/worker.ts";

// The Go embed cannot reach outside its own folder, so the page is built into it.
const outDir = "../internal/assets/webui/dist";

export default defineConfig({
  plugins: [
    importIconsDirectly(),
    react(),
    lingui({ failOnMissing: true, failOnCompileError: true }),
    babel({ presets: [linguiTransformerBabelPreset()] }),
    tailwindcss(),
    preloadNames(),
    firstFrame(),
    finishBuild(),
  ],
  resolve: {
    alias: [
      { find: "@", replacement: new URL("./src", import.meta.url).pathname },
      // wouter and Lingui bring a shim for what React has had since version 18.
      { find: /^use-sync-external-store\/shim(\/index\.js)?$/, replacement: "react" },
      {
        find: /^\.\/mutationCache\.js$/,
        replacement: new URL("./scripts/no-mutations.ts", import.meta.url).pathname,
      },
    ],
  },
  // Scripts and styles name each other as neighbours, so that they work below any path of a host; index.html is changed by
  // the server (internal/assets/webui/below.go).
  experimental: {
    renderBuiltUrl: (file, { hostType }) => (hostType === "html" ? `/${file}` : { relative: true }),
  },
  build: {
    outDir,
    emptyOutDir: true,
    manifest: true,
    target: "es2023",
    // The names of scripts would be a kilobyte of the first one. What a lazy part imports is there by then, mostly.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_, files) => files.filter((file) => file.endsWith(".css")),
    },
    assetsInlineLimit: 0,
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: {
        // Chunks follow from imports and folders; everything else is split by its dynamic imports. Each file more is
        // a request before something can be shown, hence few groups. A group includes the dependencies of its
        // modules, except those of groups with a higher priority.
        codeSplitting: {
          groups: [
            // What main.tsx imports statically: the first screen.
            { name: "main", tags: ["$initial"], priority: 6 },
            // The rows of lists, and what they share with other parts: a list waits for nothing else.
            { name: "list", test: /src\/features\/reader\/item-list\./, priority: 4 },
            {
              name: "basics",
              test: /src\/(i18n\/(format|use-now|numbers|problem-text|clock-time)|ui\/(key-hint|touch|undo|show-error|trusted-types|link|feed-icon|letter-tile|bookmarks|state-dot)|data\/(pinned|sort-time)|features\/reader\/(original-link|item-time|item-picture|bars|offer-line))\./,
              priority: 5,
            },
            // Forms of the account, which the first run has too.
            {
              name: "forms",
              test: /src\/ui\/(use-form|password-fields|first-password)\./,
              priority: 4,
            },
            // Apart from what follows: Today and articles need little else of what is shared.
            { name: "icons", test: /\/lucide-react\//, minShareCount: 2, priority: 5 },
            // What several lazy parts show.
            {
              name: "common",
              test: /src\/(i18n|ui)\/(?!data-table|webhook-name|qr-code)|src\/data\/(name-match|recent-searches|search-terms)\./,
              minShareCount: 2,
              priority: 3,
            },
            // In the menus of lists and items; that of an item needs nothing else of what stands around a list.
            { name: "marking", test: /src\/features\/reader\/mark-older\./, priority: 4 },
            // What only lists with offers and the screens of watches show.
            { name: "offers", test: /src\/(i18n\/(money|offer)|ui\/offer-line)\./, priority: 4 },
            // What the menu of a list and the page of settings both need of notifications.
            {
              name: "notices",
              test: /src\/data\/(push-device|account\/notifications)\./,
              priority: 4,
            },
            { name: "offline", test: /src\/data\/offline\//, priority: 2 },
            { name: "mutations", test: /src\/data\/mutations\//, priority: 1 },
            { name: "search", test: /src\/features\/reader\/search\// },
            // What stands around every list, loaded as soon as the first list is shown.
            // Without the bar of phones, which show nothing else of it at first.
            { name: "reader", test: /src\/features\/reader\/(side\/(?!tab-bar\.)|deferred\/)/ },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ["/api", "/auth", "/healthz", "/popular", "/samples"].map((path) => [
        path,
        { target: process.env.RURI_DEV_SERVER ?? "http://127.0.0.1:8080" },
      ]),
    ),
  },
  test: {
    environment: "jsdom",
    // One jsdom for each worker instead of one for each file, which took four fifths of the time.
    pool: "vmThreads",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/testing/setup.ts"],
    restoreMocks: true,
    unstubGlobals: true,
    testTimeout: 30_000,
  },
});

/**
 * Imports each icon from its own module: through the index of the package every icon would count as a part of the first
 * screen.
 */
function importIconsDirectly(): Plugin {
  return {
    name: "ruri-icons",
    apply: "build",
    enforce: "pre",
    transform: (code, id) => {
      if (!/\/src\/.*\.tsx$/.test(id)) return null;
      return code.replace(/import \{([^}]*)\} from "lucide-react";/, (_, names: string) =>
        (names.match(/(?<!type )\b[A-Z]\w*/g) ?? [])
          .map((name) => `import ${name} from "lucide-react/icons/${iconFile(name)}";`)
          .join(""),
      );
    },
  };
}

/** "ArrowDownAZ" as "arrow-down-a-z", "Link2" as "link-2". */
function iconFile(name: string): string {
  return name.replace(/\B[A-Z]|(?<=[a-z])\d/g, "-$&").toLowerCase();
}

/** What the first lines of index.html preload for an address and a language: modules, or the name of a group. */
const firstParts = {
  "words-en": /\/locales\/en\.po/,
  "words-ja": /\/locales\/ja\.po/,
  list: /^\/list\.$/,
  item: /\/article\/article-pane\./,
  today: /\/today\/today-page\./,
  settings: /\/app\/screens\.|\/settings\/(load|settings-screen)\./,
  "settings-en": /\/locales\/settings\/en\.po/,
  "settings-ja": /\/locales\/settings\/ja\.po/,
};

/** Names their files in index.html. */
function preloadNames(): Plugin {
  return {
    name: "ruri-preload-names",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (_html, { bundle = {} }) => {
        const files = Object.values(bundle).filter((file) => file.type === "chunk");
        const entry = files.find((file) => file.isEntry)?.fileName;
        // A part waits for all of these, styles too.
        const filesOf = (name: string): string[] => {
          const file = files.find((one) => one.fileName === name);
          if (!file || name === entry) return [];
          const styles = file.viteMetadata?.importedCss ?? [];
          return [name, ...styles, ...file.imports.flatMap(filesOf)];
        };
        return Object.entries(firstParts).map(([name, module]) => {
          const found = files.filter((file) =>
            module.test(file.facadeModuleId ?? `/${file.name}.`),
          );
          const needed = new Set(found.flatMap((file) => filesOf(file.fileName)));
          const content = [...needed].map((one) => `/${one}`).join(" ");
          return { tag: "meta", attrs: { name, content }, injectTo: "head-prepend" as const };
        });
      },
    },
  };
}

/** Puts the rules of the first frame into index.html, and all others behind it: it does not wait for them. */
function firstFrame(): Plugin {
  return {
    name: "ruri-first-frame",
    transformIndexHtml: {
      order: "post",
      handler: (html) => {
        const sheets = html.match(/\n\s*<link rel="stylesheet"[^>]*>/g)?.join("") ?? "";
        return {
          html: html.replace(sheets, "").replace(/\n\s*<\/body>/, (end) => sheets + end),
          tags: [{ tag: "style", children: firstFrameStyle(), injectTo: "head" }],
        };
      },
    },
  };
}

/** Builds the service worker from the finished bundle, and a .gz and a .br for every text file. */
function finishBuild(): Plugin {
  return {
    name: "ruri-finish-build",
    apply: "build",
    async closeBundle() {
      // Keeps the folder in the repository; emptyOutDir removes it.
      writeFileSync(join(outDir, ".gitkeep"), "");
      // docs/use, for /help/.
      const root = join(import.meta.dirname, "..");
      const help = join(import.meta.dirname, outDir, "help");
      execFileSync("go", ["run", "./docs/help", "docs/use", help], { cwd: root, stdio: "inherit" });
      await buildWorker(import.meta.dirname, join(import.meta.dirname, outDir));
      precompress();
    },
  };
}

/** Compresses at build time, so that the server never has to. */
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
