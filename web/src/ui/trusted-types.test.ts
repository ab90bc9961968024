import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const files = globSync("src/**/*.{ts,tsx}").filter((file) => !/\.test\.|\.gen\.ts/.test(file));

function filesWith(pattern: RegExp): string[] {
  return files.filter((file) => pattern.test(readFileSync(file, "utf8"))).sort();
}

describe("text from feeds", () => {
  it("becomes HTML in one component", () => {
    const sinks =
      /\binnerHTML\b|\bouterHTML\b|dangerouslySetInnerHTML|insertAdjacentHTML|createContextualFragment|document\.write|setHTMLUnsafe|srcdoc|DOMParser/i;
    expect(filesWith(sinks)).toEqual(["src/features/reader/article/article-body.tsx"]);
    expect(filesWith(/\bsanitisedHtml\b/)).toEqual([
      "src/features/reader/article/article-body.tsx",
      "src/ui/trusted-types.ts",
    ]);
  });

  it("passes one policy of one name, the one that the server allows", () => {
    expect(filesWith(/createPolicy\(/)).toEqual(["src/ui/trusted-types.ts"]);
    const names = readFileSync("src/ui/trusted-types.ts", "utf8").match(/createPolicy\("[^"]+"/g);
    expect(names).toEqual(['createPolicy("ruri-sanitised"']);
    expect(readFileSync("../internal/assets/webui/headers.go", "utf8")).toContain(
      "trusted-types ruri-sanitised",
    );
  });

  it("never becomes a script", () => {
    expect(filesWith(/\beval\(|new Function\(|setTimeout\(\s*["'`]/)).toEqual([]);
  });
});
