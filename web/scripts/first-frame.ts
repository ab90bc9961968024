import { readFileSync } from "node:fs";
import { join } from "node:path";

const read = (name: string) => readFileSync(join(import.meta.dirname, "../src/ui", name), "utf8");

/** The style of the first frame, as index.html has it: its rules, after the tokens that they name. */
export function firstFrameStyle(): string {
  const rules = read("first-frame.css");
  const named = new Set(rules.match(/(?<=var\()--[\w-]+/g));
  const tokens = [...read("tokens.css").matchAll(/^(:root\S*) \{\n(.*?)^\}/gms)].map(
    ([, theme, all]) => {
      const lines = all?.match(/[\w-]+: .*;/g) ?? [];
      const kept = lines.filter(
        (line) => /^color-scheme/.test(line) || named.has(line.split(":")[0] ?? ""),
      );
      return `${theme}{${kept.join("")}}`;
    },
  );
  return (
    tokens.join("") +
    rules
      .replace(/\/\*.*?\*\//gs, "")
      .replace(/\s+/g, " ")
      .replace(/ ?([{};]) ?/g, "$1")
  );
}
