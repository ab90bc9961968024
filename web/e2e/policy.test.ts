// The content policy of production applies in every browser test; a violation fails the test, and so does a request to
// another host.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./harness/app.ts";
import { eventually } from "./harness/eventually.ts";

let app: App;

before(async () => {
  app = await startApp({ isOwn: true });
});
after(() => app?.close());

test("pages come under the policy, and what it refuses fails a test", async () => {
  const as = await app.owner();
  await app.visit({ as }, async (reader) => {
    const answer = await reader.page.goto(`${app.backend.base}/all`);
    const policy = (await answer?.headerValue("content-security-policy")) ?? "";
    for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'"])
      assert.ok(policy.includes(part), `${part} in ${policy}`);
    assert.match(policy, /require-trusted-types-for 'script'; trusted-types ruri-sanitised$/);
  });
  const violations: Record<string, () => void> = {
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
  for (const [name, violate] of Object.entries(violations)) {
    const visit = app.visit({ as }, async (reader) => {
      await reader.open("/all");
      await reader.page.evaluate(`(${violate})()`);
      // The browser reports it asynchronously.
      const { problems } = reader.watch;
      await eventually(
        name,
        () => problems.length,
        (seen) => seen > 0,
      );
    });
    await assert.rejects(visit, /problems that the page reported/, name);
  }
});

test("no request leaves the machine, and one that would fails a test", async () => {
  const visit = app.visit({ as: null }, async (reader) => {
    await reader.page.goto(`${app.backend.base}/login`);
    await reader.page.evaluate(() => {
      document.body.append(Object.assign(new Image(), { src: "https://192.0.2.1/picture.png" }));
    });
    const { problems } = reader.watch;
    await eventually(
      "the request",
      () => problems.length,
      (seen) => seen > 0,
    );
  });
  await assert.rejects(visit, /request to another host: https:\/\/192\.0\.2\.1\/picture\.png/);
});
