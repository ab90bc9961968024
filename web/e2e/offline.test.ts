// The page without a network: its worker keeps the page, the device keeps what was saved for such times.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type App, password, startApp } from "./harness/app.ts";
import { assertAccessible } from "./harness/axe.ts";
import { message } from "./harness/catalog.ts";
import { eventually, eventuallyEquals, tick } from "./harness/eventually.ts";
import { offlineKeys } from "./harness/offline-store.ts";
import { findChromium, isRehearsal } from "./harness/paths.ts";
import { Reader } from "./harness/reader.ts";
import { startReleaseProxy } from "./harness/release-proxy.ts";
import { keepScreenshot } from "./harness/screenshot.ts";

// The rehearsed cloud has a certificate that nobody trusts, and browsers start no worker behind such.
const skip = isRehearsal;
let app: App;

before(async () => {
  if (!skip) app = await startApp();
});
after(() => app?.close());

/** Waits until the page's worker has everything and answers for the page. */
async function workerIsReady(reader: Reader): Promise<void> {
  // It is begun when everything else is quiet, which takes as long as it takes.
  await reader.page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
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

/** Has the browser hand a push message to the page's worker, as its push service does. */
async function push(reader: Reader, data: string): Promise<void> {
  const devtools = await reader.page.context().newCDPSession(reader.page);
  const registered = new Promise<string>((found) => {
    devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const one = registrations.find(({ scopeURL }) => scopeURL === `${reader.base}/`);
      if (one) found(one.registrationId);
    });
  });
  await devtools.send("ServiceWorker.enable");
  const registrationId = await registered;
  const { origin } = new URL(reader.base);
  await devtools.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
  await devtools.detach();
}

const amount = 50;

/** As the settings do: how much this device keeps. */
async function keeps(reader: Reader, wanted: number): Promise<void> {
  await reader.page.addInitScript((n) => {
    try {
      localStorage["ruri.offline-amount"] ??= String(n);
    } catch {
      // about:blank
    }
  }, wanted);
}

function databases(reader: Reader): Promise<string[]> {
  return reader.page.evaluate(async () =>
    (await indexedDB.databases()).map(({ name }) => name ?? "").filter((name) => name !== ""),
  );
}

/** The ids of the items whose bodies the device has. */
const savedItems = (reader: Reader) => offlineKeys(reader, "items");

// They wait more than they work: the copy is filled by a request every few seconds.
describe("without a network", { skip, concurrency: 4 }, () => {
  test("the page can be installed: manifest, icons, worker, each with the headers it needs", async () => {
    const asked = async (path: string) => {
      const response = await fetch(app.backend.base + path);
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
    for (const path of [...addresses, ...manifest.shortcuts.map(({ url }) => url)])
      await asked(path);
    const worker = await asked("/worker.js");
    assert.equal(worker.headers.get("content-type"), "text/javascript; charset=utf-8");
    assert.equal(worker.headers.get("cache-control"), "no-cache");
  });

  for (const locale of ["en", "ja"] as const) {
    test(`a new version is offered, and comes when it is wanted (${locale})`, async () => {
      const as = await app.user(`release-${locale}`);
      const front = await startReleaseProxy(app.backend.base);
      try {
        await app.visit({ as, locale, offline: true, base: front.base }, async (reader) => {
          await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
          await reader.open("/all");
          await workerIsReady(reader);
          const release = () => reader.page.locator("html").getAttribute("data-release");
          const pill = reader.page.locator(".update-pill");
          assert.equal(await pill.count(), 0);

          front.release("next");
          await reader.page.evaluate(async () =>
            (await navigator.serviceWorker.getRegistration())?.update(),
          );
          await pill.getByText(message(locale, "A new version is available.")).waitFor();
          assert.equal(await release(), null, "nothing is reloaded by itself");
          // Neither by going on, nor by a reload while the old one is in use.
          await reader.page.reload();
          await pill.waitFor();
          assert.equal(await release(), null);
          await pill.getByRole("button", { name: message(locale, "Reload") }).click();
          await eventuallyEquals("the release", release, "next");
          await reader.page.locator(".list-pane .row").first().waitFor();
          await eventuallyEquals("the pill", () => pill.count(), 0);
        });
      } finally {
        await front.close();
      }
    });
  }

  for (const [locale, width] of [
    ["en", 1440],
    ["ja", 390],
  ] as const) {
    test(`a tunnel: what is saved is read, what is marked arrives after it (${locale}, ${width})`, async () => {
      const as = await app.user(`saved-${locale}`);
      await app.visit({ as, locale, width, offline: true }, async (first) => {
        await keeps(first, amount);
        const context = first.page.context();
        const feed = await first.api.addFeed(app.publisher.url("/feeds/long.xml"));
        const rich = await first.api.addFeed(app.publisher.url("/feeds/rich.xml"));
        const items = await first.api.items();
        assert.ok(items.length > amount + 10, `${items.length} articles`);
        const old = items.at(-1);
        assert.ok(old);
        await first.api.setState(old.id, { isStarred: true });
        await first.open("/all");
        await workerIsReady(first);
        const wanted = [...items.slice(0, amount), old].map(({ id }) => id).sort();
        await eventuallyEquals(
          "what is saved",
          async () => (await savedItems(first)).sort(),
          wanted,
        );

        // Into the tunnel, and the tab is opened only there.
        await first.page.close();
        first.watch.expect(/ERR_INTERNET_DISCONNECTED|Failed to fetch/);
        await context.setOffline(true);
        await context.route("https://pictures.example/**", (route) =>
          route.abort("internetdisconnected"),
        );
        const reader = new Reader(await context.newPage(), first.watch, first.base);
        const { page } = reader;
        let flushes = 0;
        page.on("request", (request) => {
          if (new URL(request.url()).pathname === "/api/items/state") flushes += 1;
        });
        await reader.open("/all");
        const bar = page.locator(".offline-bar");
        await bar
          .getByText(message(locale, "You are offline. Saved articles are still available."))
          .waitFor();
        const title = (n: number) => items[n]?.title ?? "";

        // Marks are seen, and the bar says how many wait.
        for (let i = 0; i < 2; i += 1) {
          await reader.press("n");
          await reader.press("s");
        }
        await bar
          .getByText(locale === "ja" ? "2件の変更が同期待ちです。" : "2 changes waiting to sync.")
          .waitFor();
        await keepScreenshot(page, `screens/offline-list-${locale}-${width}.png`);

        // The last of those that are saved, and the first that is not.
        await page.goto(`${app.backend.base}/all/i/${items[amount - 1]?.id}`);
        await reader.articleShows(title(amount - 1));
        await page.goto(`${app.backend.base}/all/i/${items[amount]?.id}`);
        const pane = page.locator(".article-pane");
        const isMissing = pane.getByText(
          message(locale, "You are offline, and this is not saved on this device."),
        );
        await isMissing.waitFor();

        // "All articles" also has what is not saved, and marks it. A feed's own list has only what is saved.
        await page.goto(`${app.backend.base}/all`);
        await reader.rows().first().waitFor();
        const last = reader.row(title(amount - 1));
        const next = reader.row(title(amount));
        await eventually(
          "the first that is not saved",
          async () => {
            await reader.scrollList((width > 768 ? 32 : 84) * (amount - 3)); // as far as the list has grown
            return next.getByText(message(locale, "not saved offline")).count();
          },
          (count) => count > 0,
        );
        await eventuallyEquals(
          "of what is saved",
          () => last.getByText(message(locale, "not saved offline")).count(),
          0,
        );
        await page.goto(`${app.backend.base}/starred`);
        await eventuallyEquals(
          "the old star",
          async () => (await reader.titles()).includes(old.title),
          true,
        );
        // What waits is counted.
        if (width > 768) await eventuallyEquals("the stars", () => reader.sideCount("Starred"), 3);
        await page.goto(`${app.backend.base}/feed/${feed.id}`);
        await reader.rows().first().waitFor();
        await reader.openRow(items.find(({ feedId }) => feedId === feed.id)?.title ?? "");

        // Images are not saved: a line says what each shows, and leaves no gap.
        const pictured = items.find(({ title: name }) => name.startsWith("Headings, lists"));
        await page.goto(`${app.backend.base}/feed/${rich.id}/i/${pictured?.id}`);
        const lost = pane.locator(".prose .broken-image");
        await lost.getByText("A figure").waitFor();
        await eventually(
          "its line",
          async () => (await lost.boundingBox())?.height ?? 0,
          (height) => height > 0 && height < 40,
        );
        await assertAccessible(page, `offline ${locale} ${width}`);
        await keepScreenshot(page, `screens/offline-${locale}-${width}.png`);

        // Out of it: what could not be shown comes by itself, and what was marked arrives, once.
        await page.goto(`${app.backend.base}/all/i/${items[amount]?.id}`);
        await isMissing.waitFor();
        await bar.waitFor();
        await keepScreenshot(page, `screens/not-saved-${locale}-${width}.png`);
        await context.setOffline(false);
        await reader.articleShows(title(amount));
        await eventuallyEquals("the bar", () => bar.count(), 0);
        const starred = async () => (await reader.api.items(null, "starred")).map(({ id }) => id);
        await eventuallyEquals("the stars", starred, [items[0]?.id, items[1]?.id, old.id]);
        await eventuallyEquals(
          "what waits",
          () => page.evaluate(() => localStorage.getItem("ruri.outbox")),
          null,
        );
        assert.ok(flushes >= 1);
      });
    });
  }

  test("a copy takes few requests, and a reload none", async () => {
    const as = await app.user("few");
    await app.visit({ as, offline: true }, async (reader) => {
      const { page } = reader;
      await keeps(reader, 200);
      await reader.api.addFeed(app.publisher.url("/feeds/long.xml"));
      const items = await reader.api.items();
      const count = items.length;
      const ahead = items.slice(0, 10).map(({ id }) => id);
      const asked: string[] = [];
      page.on("request", (request) => {
        const { pathname, searchParams } = new URL(request.url());
        if (searchParams.get("limit") === "200") asked.push(searchParams.get("filter") ?? "all");
        // The page itself reads the first ten ahead.
        else if (/^\/api\/items\/[^/]+$/.test(pathname) && searchParams.get("ids") !== `${ahead}`)
          asked.push(pathname);
      });
      await reader.open("/all");
      await eventuallyEquals("what is saved", async () => (await savedItems(reader)).length, count);
      const batches = Array(Math.ceil(count / 50)).fill("/api/items/bodies");
      const wanted = ["unread", "all", "starred", ...batches];
      await eventuallyEquals("what is asked for", () => asked, wanted);
      await page.reload();
      await reader.rows().first().waitFor();
      await workerIsReady(reader);
      await reader.quiet();
      assert.deepEqual(asked, wanted);
    });
  });

  test("how much is kept is chosen, seen and taken back", async () => {
    const as = await app.user("amount");
    await app.visit({ as, offline: true }, async (reader) => {
      const { page } = reader;
      await keeps(reader, amount);
      await reader.api.addFeed(app.publisher.url("/feeds/podcast.xml"));
      await page.goto(`${app.backend.base}/settings/offline`);
      await workerIsReady(reader);
      const articles = () => page.locator("[data-articles]").getAttribute("data-articles");
      const chosen = () =>
        page.getByRole("radiogroup", { name: "Articles to keep" }).locator("input:checked");
      const label = () => chosen().evaluate((input) => input.closest("label")?.textContent);
      await eventuallyEquals("what is kept", articles, "2");
      await page.getByText(/^2 articles, [1-9][0-9]* kB$/).waitFor();
      await eventuallyEquals("the choice", label, "50");
      await assertAccessible(page, "the offline settings");

      await page.getByRole("button", { name: "Delete offline data" }).press("Enter");
      await reader.toast("Offline data deleted.").waitFor();
      await eventuallyEquals("the choice", label, "None");
      await eventuallyEquals(
        "the focus",
        () => chosen().evaluate((one) => one === document.activeElement),
        true,
      );
      await eventuallyEquals("what is kept", articles, "0");
      await eventuallyEquals("the databases", () => databases(reader), []);
      await reader.press("z");
      await eventuallyEquals("the choice", label, "50");
      await eventuallyEquals("what is kept", articles, "2");

      await tick(page.getByRole("radio", { name: "500" }));
      await reader.toast("Saved on this device: 500").waitFor();
      await page.reload();
      await eventuallyEquals("what is kept", articles, "2");
      await eventuallyEquals("the choice", label, "500");
    });
  });

  test("nothing of a person stays on the device when they leave", async () => {
    const leaves = await app.addUser("leaves");
    const comes = await app.addUser("comes");
    const as = await app.signIn(leaves);
    await app.signIn(comes);
    await app.visit({ as, offline: true }, async (reader) => {
      await keeps(reader, amount);
      await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
      await reader.open("/all");
      await eventuallyEquals("what is saved", async () => (await savedItems(reader)).length, 5);
      await reader.settled();
      await reader.choose("Settings", "Sign out");
      await reader.page.locator("#email").waitFor();
      await eventuallyEquals("the databases", () => databases(reader), []);

      // Another person, after a session that ended without a sign-out.
      const enter = async (email: string) => {
        await reader.page.locator("#email").fill(email);
        await reader.page.locator("#password").fill(password);
        await reader.page.locator("button[type=submit]").click();
        await reader.page.locator(".list-pane h1").waitFor();
      };
      await enter(leaves);
      await eventuallyEquals("what is saved", async () => (await savedItems(reader)).length, 5);
      reader.watch.expectStatus(401);
      await reader.page.context().clearCookies();
      await reader.press("r");
      await reader.page.locator("#email").waitFor();
      await enter(comes);
      await eventuallyEquals("what is saved", () => savedItems(reader), []);
    });
  });
});

// Not among the tests that run at once: there its one push message was lost in one run.
test("below a path of its host the page works, notifications open it, and it opens without a network", async (t) => {
  if (!findChromium()) {
    console.log("SKIPPED: notifications: only the headless shell is installed, which shows none");
    t.skip("no whole Chromium");
    return;
  }
  const below = await startApp({ isOwn: true, below: "/reader", notifies: true });
  try {
    const as = await below.user("path");
    await below.visit({ as, offline: true }, async (reader) => {
      const { page } = reader;
      await reader.api.addFeed(below.publisher.url("/feeds/plain.xml"));
      const elsewhere: string[] = [];
      page.on("request", (request) => {
        const { origin, pathname } = new URL(request.url());
        if (origin === new URL(reader.base).origin && !pathname.startsWith("/reader/"))
          elsewhere.push(pathname);
      });
      await reader.open("/all");
      await page.locator(".list-pane .row").first().click();
      await page.waitForURL(/\/reader\/all\/i\/\d+$/);
      await page.locator("article h1, article h2").first().waitFor();
      await workerIsReady(reader);
      assert.deepEqual(elsewhere, []);

      const article = new URL(page.url()).pathname;
      const sent = { title: "Plain", body: "One", tag: "t", lang: "en" };
      await page
        .context()
        .grantPermissions(["notifications"], { origin: new URL(reader.base).origin });
      await page.goBack();
      await eventuallyEquals(
        "the permission",
        () => page.evaluate(() => Notification.permission),
        "granted",
      );
      await push(reader, JSON.stringify({ ...sent, path: article.replace("/reader", "") }));
      const shown = () =>
        page.evaluate(async () => {
          const registration = await navigator.serviceWorker.ready;
          const list = await registration.getNotifications();
          return list.map(({ title, body, icon }) => ({ title, body, icon }));
        });
      const icon = `${reader.base}/icons/icon-192.png`;
      await eventuallyEquals("the notification", shown, [{ title: "Plain", body: "One", icon }]);
      await page
        .context()
        .serviceWorkers()[0]
        ?.evaluate(async () => {
          const scope = self as unknown as {
            registration: ServiceWorkerRegistration;
            NotificationEvent: new (kind: string, init: object) => Event;
          };
          const [notification] = await scope.registration.getNotifications();
          if (notification)
            self.dispatchEvent(new scope.NotificationEvent("notificationclick", { notification }));
        });
      await page.waitForURL(reader.base.replace("/reader", "") + article);
      await page.locator("article h1, article h2").first().waitFor();
      await eventuallyEquals("no notification", shown, []);

      reader.watch.expect(/ERR_INTERNET_DISCONNECTED|Failed to fetch/);
      await page.context().setOffline(true);
      await page.reload();
      await page.locator(".list-pane .row").first().waitFor();
      const first = () => page.evaluate(() => document.documentElement.dataset.first);
      assert.equal(await first(), "ground", "the first frame of the stored page");
    });
  } finally {
    await below.close();
  }
});
