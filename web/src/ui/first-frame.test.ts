import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { firstFrameStyle } from "../../scripts/first-frame";

const style = firstFrameStyle();

it("is allowed by the content policy", () => {
  const hash = createHash("sha256").update(style).digest("base64");
  // Where it differs, this one belongs there and into template.yaml.
  expect(readFileSync("../internal/assets/webui/headers.go", "utf8")).toContain(
    `style-src 'self' 'sha256-${hash}'`,
  );
});

it("has each token that it names, in both themes", () => {
  const named = new Set(style.match(/(?<=var\()--[\w-]+/g));
  for (const set of ["--bar", "--side-w"]) named.delete(set);
  for (const name of named) expect(style).toContain(`${name}:`);
  const dark = /\[data-theme="dark"\]\{(.*?)\}/.exec(style)?.[1] ?? "";
  for (const name of ["--bg", "--side", "--ink", "--line"]) expect(dark).toContain(`${name}:`);
});
