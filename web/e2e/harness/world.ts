import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium } from "playwright-core";
import { Api } from "./api.ts";
import { eventually } from "./eventually.ts";
import { artifacts, findChromium, home } from "./places.ts";
import { type Publisher, startPublisher } from "./publisher.ts";
import { Reader } from "./reader.ts";
import { startRehearsed } from "./rehearsal.ts";
import { type Ruri, startRuri } from "./ruri.ts";
import { watchContext } from "./watch.ts";
import type { Locale } from "./words.ts";

type Session = Exclude<BrowserContextOptions["storageState"], string | undefined>;

/** How a person comes to the page. */
export interface Visit {
  /** Whose session; null is nobody's. */
  as: Session | null;
  locale?: Locale;
  scheme?: "light" | "dark";
  width?: number;
  height?: number;
  /** Another address of the same server: passkeys need a name. */
  base?: string;
  /** The page's worker, and what it saves for times without a network; other tests do without. */
  offline?: boolean;
}

export interface World {
  ruri: Ruri;
  publisher: Publisher;
  browser: Browser;
  /** The owner's session; takes a one-time link the first time. */
  owner(): Promise<Session>;
  /**
   * Makes a user with a password, and signs in by a one-time link. They have been at the first run, unless a test is
   * about that.
   */
  user(email: string, as?: { isNew: boolean }): Promise<Session>;
  /** A visit in a fresh browser profile; it fails when the page did anything it must not. */
  visit(visit: Visit, walk: (reader: Reader) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export const password = "correct horse battery staple";

const flags = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // The rehearsed cloud has a certificate of its own, which nobody else trusts.
  ...(home === "rehearsal" ? ["--ignore-certificate-errors"] : []),
];

const trusting = { ignoreHTTPSErrors: home === "rehearsal" };

export async function openWorld(
  options: { samples?: boolean; publisher?: readonly string[] } = {},
): Promise<World> {
  const executablePath = findChromium();
  assert.ok(executablePath, "no Chromium");
  const [ruri, publisher, browser] = await Promise.all([
    (home === "rehearsal" ? startRehearsed : startRuri)({ samples: options.samples ?? false }),
    startPublisher(options.publisher),
    chromium.launch({ executablePath, headless: true, args: flags, chromiumSandbox: false }),
  ]);
  let owner: Promise<Session> | null = null;
  return {
    ruri,
    publisher,
    browser,
    owner() {
      owner ??= ruri.ownerLink().then((link) => signIn(browser, link, ruri.base, options.samples));
      return owner;
    },
    async user(email, { isNew } = { isNew: false }) {
      await ruri.addUser(email, password);
      return signIn(browser, await ruri.linkFor(email), isNew ? undefined : ruri.base);
    },
    visit: (visit, walk) => makeVisit(browser, visit.base ?? ruri.base, visit, walk),
    async close() {
      await browser.close();
      await Promise.all([ruri.close(), publisher.close()]);
    },
  };
}

/**
 * Signs in by a one-time link as its button does, without a page, and keeps its session. With an address they have been at the first run; with
 * samples those are there, which the program brings the owner while it already answers.
 */
export async function signIn(
  browser: Browser,
  link: string,
  base?: string,
  hasSamples = false,
): Promise<Session> {
  const context = await browser.newContext(trusting);
  const response = await context.request.post(link);
  assert.equal(response.status(), 200, "the one-time link");
  if (base !== undefined) {
    const data = { welcomed: true };
    const saved = await context.request.put(`${base}/api/user/preferences`, { data });
    assert.equal(saved.status(), 200, "the first run");
    const api = new Api(context.request, base);
    if (hasSamples)
      await eventually(
        "the samples",
        () => api.feeds(),
        ({ feeds }) => feeds.length === 6 && feeds.every((feed) => feed.itemCount > 0),
      );
  }
  const session = await context.storageState();
  await context.close();
  return session;
}

/** Runs in the page: nothing is fetched ahead that a test does not know of. */
function saveNothing(): void {
  try {
    localStorage.setItem("ruri.offline-amount", "0");
  } catch {
    // a page without storage: about:blank, a refused frame
  }
}

async function makeVisit(
  browser: Browser,
  base: string,
  { as, locale = "en", scheme = "light", width = 1440, height = 900, offline = false }: Visit,
  walk: (reader: Reader) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({
    ...trusting,
    viewport: { width, height },
    locale: locale === "ja" ? "ja-JP" : "en-US",
    timezoneId: "Asia/Tokyo",
    colorScheme: scheme,
    reducedMotion: "reduce",
    // Phones lay their scroll bars over the page and speak touch.
    hasTouch: width < 768,
    isMobile: width < 768,
    serviceWorkers: offline ? "allow" : "block",
    ...(as ? { storageState: as } : {}),
  });
  context.setDefaultTimeout(30_000);
  const watch = await watchContext(context, base);
  if (!offline) await context.addInitScript(saveNothing);
  const page = await context.newPage();
  try {
    await walk(new Reader(page, watch, base));
    assert.deepEqual(watch.problems, [], "what the page must not do");
  } catch (error) {
    await mkdir(join(artifacts, "failures"), { recursive: true });
    await page
      .screenshot({ path: join(artifacts, "failures", `${Date.now()}.png`) })
      .catch(() => undefined);
    if (watch.problems.length > 0) console.error(`on the page: ${watch.problems.join("\n")}`);
    throw error;
  } finally {
    // A stand-in that is at work has nobody to answer any more.
    for (const one of [...context.pages(), context])
      await one.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
  }
}
