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

/** Checks the page with axe, including the target size of WCAG 2.2 (24 px). */
export async function assertAccessible(page: Page, where: string): Promise<void> {
  // Evaluated from outside the page, so the content policy does not apply.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(source);
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(root: Node, options: object): Promise<{ violations: Violation[] }> };
    };
    // Nothing behind an open dialog can be reached: the screen there is checked by itself.
    const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
    const found = await axe.run(dialog ?? document, {
      rules: { "target-size": { enabled: true } },
      // Loads style sheets and sounds once more, a sixth of the time, for one rule: about sounds that start by themselves.
      preload: false,
      resultTypes: ["violations"],
    });
    return found.violations;
  });
  const faults = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map((node) => `    ${String(node.target)} ${node.failureSummary ?? ""}`).join("\n")}`,
  );
  assert.deepEqual(faults, [], `axe: ${where}`);
}
