// The content policy of production holds in every browser test, and whoever breaks it fails the test.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually } from "./harness/eventually.ts";
import { openWorld, type World } from "./harness/world.ts";

let world: World;

before(async () => {
  world = await openWorld();
});
after(() => world?.close());

test("pages come under the policy, and what it refuses fails a test", async () => {
  const as = await world.owner();
  await world.visit({ as }, async (reader) => {
    const answer = await reader.page.goto(`${world.ruri.base}/all`);
    const policy = (await answer?.headerValue("content-security-policy")) ?? "";
    for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'"])
      assert.ok(policy.includes(part), `${part} in ${policy}`);
    assert.match(policy, /require-trusted-types-for 'script'; trusted-types ruri-sanitised$/);
  });
  const deeds: Record<string, () => void> = {
    "a style in markup": () => document.body.setAttribute("style", "color: red"),
    "a script in the page": () => {
      const script = document.createElement("script");
      script.append("1");
      document.body.append(script);
    },
    "HTML from nowhere": () => {
      try {
        document.body.insertAdjacentHTML("beforeend", "<b>x</b>");
      } catch {
        // refused, as it should be
      }
    },
    "a second policy": () => {
      try {
        (
          window as unknown as { trustedTypes: { createPolicy(n: string, r: object): void } }
        ).trustedTypes.createPolicy("other", {});
      } catch {
        // refused, as it should be
      }
    },
  };
  for (const [name, deed] of Object.entries(deeds)) {
    const visit = world.visit({ as }, async (reader) => {
      await reader.open("/all");
      await reader.page.evaluate(`(${deed})()`);
      // The browser tells of it some time after.
      const { problems } = reader.watch;
      await eventually(
        name,
        () => problems.length,
        (seen) => seen > 0,
      );
    });
    await assert.rejects(visit, /what the page must not do/, name);
  }
});
