// Extracts again and fails when that changes a catalog, when a translation is missing, or when nothing was found.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const catalogs = ["", "settings/", "watches/"].flatMap((part) => [`${part}en`, `${part}ja`]);
const files = catalogs.map((name) => new URL(`../locales/${name}.po`, import.meta.url));
const before = files.map((file) => readFileSync(file, "utf8"));
execFileSync(process.execPath, ["node_modules/@lingui/cli/dist/lingui.js", "extract", "--clean"], {
  stdio: "ignore",
  cwd: new URL("..", import.meta.url),
});
const after = files.map((file) => readFileSync(file, "utf8"));
for (const [i, file] of files.entries()) writeFileSync(file, before[i]);

const stable = (text) => text.replace(/^"POT-Creation-Date.*$/m, "");
const faults = [];
files.forEach((_, i) => {
  const name = `${catalogs[i]}.po`;
  if (stable(before[i]) !== stable(after[i]))
    faults.push(`${name} is out of date: run "npm run extract"`);
  const ids = after[i].match(/^msgid "/gm)?.length ?? 0;
  const missing = after[i].match(/^msgstr ""\n(?!")/gm)?.length ?? 0;
  if (ids < 2) faults.push(`${name} holds no message`);
  if (missing > 0) faults.push(`${name} lacks ${missing} translations`);
  console.log(`${name}: ${ids - 1} messages, ${missing} missing`);
});
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}
