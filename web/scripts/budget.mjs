// Walks Vite's manifest from the entry, gzips at level 9 and compares with the budget. Fails CI when over.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const dist = new URL("../../internal/assets/webui/dist/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL(".vite/manifest.json", dist), "utf8"));
const size = (file) => gzipSync(readFileSync(new URL(file, dist)), { level: 9 }).length;

const entry = Object.values(manifest).find((chunk) => chunk.isEntry);
const js = new Set();
const css = new Set();
const walk = (chunk) => {
  if (js.has(chunk.file)) return;
  js.add(chunk.file);
  for (const file of chunk.css ?? []) css.add(file);
  for (const next of chunk.imports ?? []) walk(manifest[next]);
};
walk(entry);

const sum = (files) => [...files].reduce((total, file) => total + size(file), 0);
const rows = [
  ["entry graph, js", sum(js), 110],
  ["entry graph, css", sum(css), 14],
  ["worker", size("worker.js"), 12],
];
for (const [source, chunk] of Object.entries(manifest)) {
  if (!chunk.isDynamicEntry) continue;
  const own = new Set([chunk.file]);
  for (const next of chunk.imports ?? [])
    if (!js.has(manifest[next].file)) own.add(manifest[next].file);
  const isCatalog = source.includes("locales/");
  rows.push([isCatalog ? `catalog ${source}` : `lazy ${source}`, sum(own), isCatalog ? 18 : 40]);
}

let over = 0;
for (const [name, bytes, limit] of rows) {
  const kilobytes = bytes / 1000;
  const bad = kilobytes > limit;
  if (bad) over += 1;
  console.log(
    `${bad ? "OVER" : "  ok"}  ${name.padEnd(48)} ${kilobytes.toFixed(1).padStart(7)} kB of ${limit}`,
  );
}
if (over > 0) {
  console.error(`${over} of ${rows.length} are over the budget`);
  process.exit(1);
}
