import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const css = readFileSync("src/ui/tokens.css", "utf8");

function block(selector: string): Record<string, string> {
  const start = css.indexOf(`${selector} {`);
  const body = css.slice(start, css.indexOf("}", start));
  return Object.fromEntries(
    [...body.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map((m) => [m[1], m[2]]),
  );
}

// WCAG 2.2, relative luminance and contrast ratio.
function luminance(hex: string): number {
  const channel = (at: number) => {
    const v = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

function contrast(a: string, b: string): number {
  const [hi, lo] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (hi + 0.05) / (lo + 0.05);
}

const text = ["ink", "ink2", "ink3", "accent", "link", "star"];
const pairs: [string, string, number][] = [
  ...text.flatMap((t) =>
    ["bg", "side", "sel", "raise"].map((g) => [t, g, 4.5] as [string, string, number]),
  ),
  ...["bg", "sel"].map((g) => ["visited", g, 4.5] as [string, string, number]),
  ...["ink", "ink2", "ink3", "link"].map((t) => [t, "hov", 4.5] as [string, string, number]),
  ["on-accent", "accent", 4.5],
  ["on-accent", "accent-hover", 4.5],
  ...["err", "warn", "ok"].flatMap((t) => [
    [t, "bg", 4.5] as [string, string, number],
    [t, "side", 4.5] as [string, string, number],
    [t, `${t}-bg`, 4.5] as [string, string, number],
  ]),
  ...["ctl", "focus"].flatMap((t) =>
    ["bg", "side", "sel"].map((g) => [t, g, 3] as [string, string, number]),
  ),
  ["gold", "bg", 3],
];

describe.each([
  ["light", block(":root")],
  ["dark", block(':root[data-theme="dark"]')],
])("%s theme", (_name, colours) => {
  it.each(pairs)("%s on %s is at least %d", (fore, ground, least) => {
    const [f, g] = [colours[fore], colours[ground]];
    expect(f, `--${fore} is missing`).toBeDefined();
    expect(g, `--${ground} is missing`).toBeDefined();
    expect(contrast(f as string, g as string)).toBeGreaterThanOrEqual(least);
  });
});

describe("colours live in the token file alone", () => {
  it.each([
    "first-frame.css",
    "base.css",
    "frame.css",
    "list.css",
    "article.css",
    "parts.css",
    "targets.css",
  ])("%s names none", (file) => {
    expect(readFileSync(`src/ui/${file}`, "utf8")).not.toMatch(/#[0-9a-f]{3,8}\b|rgb\(|hsl\(/i);
  });
});

/** The innermost selector of each use of the accent. */
function blue(): string[] {
  const uses = globSync("src/**/*.css")
    .filter((file) => !file.endsWith("tokens.css"))
    .flatMap((file) => {
      const open: string[] = [];
      const found: string[] = [];
      for (const line of readFileSync(file, "utf8").split("\n")) {
        if (line.endsWith("{")) open.push(line.slice(0, -1).trim());
        else if (line.trim() === "}") open.pop();
        else if (line.includes("var(--accent")) found.push(open.slice(-2).join(" "));
      }
      return found;
    });
  return [...new Set(uses)].sort();
}

it("is blue on a screen how far one is, and the one main button", () => {
  expect(blue()).toEqual([
    ".btn-main",
    ".btn-main &:hover",
    '.btn-main &[aria-disabled="true"]',
    // At the end of a swipe that is far enough.
    '.gesture &[data-ready="true"]',
    ".hero > .day-ring .done",
    '.line[data-swipe] &[data-enough="true"]::before',
    ".meter > div",
    ".part-ring .arc",
    // New articles: the one button over a list.
    ".pill",
    ".pill &:hover",
    ".row .dot",
    ".today-row .dot",
    ".watch-row .dot",
    "@layer components .read-line",
    "progress &::-moz-progress-bar",
    "progress &::-webkit-progress-value",
  ]);
});
