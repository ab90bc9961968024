// The page without a network: its worker keeps the page, the device keeps what was saved for such times.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually, settles } from "./harness/eventually.ts";
import { startFront } from "./harness/front.ts";
import { home } from "./harness/places.ts";
import type { Reader } from "./harness/reader.ts";
import { say } from "./harness/words.ts";
import { openWorld, type World } from "./harness/world.ts";

// The rehearsed cloud has a certificate that nobody trusts, and browsers start no worker behind such.
const skip = home === "rehearsal";
let world: World;

before(async () => {
  if (!skip) world = await openWorld();
});
after(() => world?.close());

/** Waits until the page's worker has everything and answers for the page. */
async function workerIsReady(reader: Reader): Promise<void> {
  await eventually(
    "the worker",
    () =>
      reader.page.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration();
        return `${registration?.active?.state} ${navigator.serviceWorker.controller !== null}`;
      }),
    (seen) => seen === "activated true",
  );
}

test("the page can be installed: manifest, icons, worker, each with the headers it needs", {
  skip,
}, async () => {
  const asked = async (path: string) => {
    const response = await fetch(world.ruri.base + path);
    assert.equal(response.status, 200, path);
    return response;
  };
  const answer = await asked("/app.webmanifest");
  assert.equal(answer.headers.get("content-type"), "application/manifest+json");
  const manifest = (await answer.json()) as {
    icons: { src: string; type: string; sizes: string }[];
    shortcuts: { url: string }[];
    share_target: { action: string };
    start_url: string;
  };
  assert.ok(manifest.icons.some(({ sizes }) => sizes === "512x512"));
  for (const icon of manifest.icons) {
    assert.equal((await asked(icon.src)).headers.get("content-type"), icon.type);
  }
  const addresses = [manifest.start_url, manifest.share_target.action];
  for (const path of [...addresses, ...manifest.shortcuts.map(({ url }) => url)]) await asked(path);
  const worker = await asked("/worker.js");
  assert.equal(worker.headers.get("content-type"), "text/javascript; charset=utf-8");
  assert.equal(worker.headers.get("cache-control"), "no-cache");
});

for (const locale of ["en", "ja"] as const) {
  test(`a new version is offered, and comes when it is wanted (${locale})`, { skip }, async () => {
    const as = await world.user(`release-${locale}@example.org`);
    const front = await startFront(world.ruri.base);
    try {
      await world.visit({ as, locale, offline: true, base: front.base }, async (reader) => {
        await reader.api.addFeed(world.publisher.url("/feeds/plain.xml"));
        await reader.open("/all");
        await workerIsReady(reader);
        const release = () => reader.page.locator("html").getAttribute("data-release");
        const pill = reader.page.locator(".update-pill");
        assert.equal(await pill.count(), 0);

        front.release("next");
        await reader.page.evaluate(async () =>
          (await navigator.serviceWorker.getRegistration())?.update(),
        );
        await pill.getByText(say(locale, "A new version is here.")).waitFor();
        assert.equal(await release(), null, "nothing is reloaded by itself");
        // Neither by going on, nor by a reload while the old one is in use.
        await reader.page.reload();
        await pill.waitFor();
        assert.equal(await release(), null);
        await pill.getByRole("button", { name: say(locale, "Reload") }).click();
        await settles("the release", release, "next");
        await reader.page.locator(".list-pane .row").first().waitFor();
        assert.equal(await pill.count(), 0);
      });
    } finally {
      await front.close();
    }
  });
}
