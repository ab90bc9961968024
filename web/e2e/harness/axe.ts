import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  id: string;
  help: string;
  nodes: { target: unknown; failureSummary?: string }[];
}

/** Colours are half of axe's work and the same in all languages; the rest is the same in light and dark. */
export type Rules = "all" | "colours" | "all but colours";

/** Holds the page against the rules of axe; the target size is ours (24 px, WCAG 2.2). */
export async function assertAccessible(
  page: Page,
  where: string,
  which: Rules = "all",
): Promise<void> {
  // Evaluated from outside the page, so the content policy does not concern it.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(source);
  const violations = await page.evaluate(async (wanted) => {
    const { axe } = window as unknown as {
      axe: { run(root: Document, options: object): Promise<{ violations: Violation[] }> };
    };
    const found = await axe.run(document, {
      ...(wanted === "colours" ? { runOnly: ["color-contrast"] } : {}),
      rules: {
        "target-size": { enabled: wanted !== "colours" },
        "color-contrast": { enabled: wanted !== "all but colours" },
      },
      resultTypes: ["violations"],
    });
    return found.violations;
  }, which);
  const told = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map((node) => `    ${String(node.target)} ${node.failureSummary ?? ""}`).join("\n")}`,
  );
  assert.deepEqual(told, [], `axe: ${where}`);
}
