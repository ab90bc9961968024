import assert from "node:assert/strict";
import { basename } from "node:path";
import { type Browser, type BrowserContextOptions, chromium } from "playwright-core";
import { Api } from "./api.ts";
import { attachBinary, type Backend, startBinary } from "./binary.ts";
import type { Locale } from "./catalog.ts";
import { eventually } from "./eventually.ts";
import { findChromium, isRehearsal } from "./paths.ts";
import { attachPublisher, type Publisher, startPublisher } from "./publisher.ts";
import { Reader } from "./reader.ts";
import { startRehearsed } from "./rehearsal.ts";
import { takeScreenshot } from "./screenshot.ts";
import { watchContext } from "./watch.ts";
import { flags, type Shared } from "./worker.ts";

type Session = Exclude<BrowserContextOptions["storageState"], string | undefined>;

/** A visit of the page in a fresh browser profile. */
export interface Visit {
  /** The session to use; null visits without one. */
  as: Session | null;
  locale?: Locale;
  scheme?: "light" | "dark";
  width?: number;
  height?: number;
  /** Another address of the same server: passkeys need a host name. */
  base?: string;
  /** Whether the service worker and the offline copy are on. */
  offline?: boolean;
}

/** The reader with a browser and a publisher of feeds. */
export interface App {
  backend: Backend;
  publisher: Publisher;
  browser: Browser;
  /** The owner's session; signs in by a one-time link the first time. Only on an installation of its own. */
  owner(): Promise<Session>;
  /** Adds a user with the password and returns the address, which no other test has, whatever names they choose. */
  addUser(name: string): Promise<string>;
  /** Adds a user and signs in by a one-time link. The user has seen the first run unless isNew is set. */
  user(name: string, as?: { isNew: boolean }): Promise<Session>;
  /** A session of a user who was added, as of another device. */
  signIn(email: string, as?: { isNew: boolean }): Promise<Session>;
  /** Runs the steps in a fresh browser profile; fails when the page reported a problem meanwhile. */
  visit(visit: Visit, steps: (reader: Reader) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export const password = "correct horse battery staple";

const trusting = { ignoreHTTPSErrors: isRehearsal };

const shared: Shared = JSON.parse(process.env.RURI_E2E_WORKER ?? "null");

// Files share an installation, so addresses have the file's name; a name that a file uses again gets a number.
const file = basename(process.argv[1] ?? "", ".test.ts");
const named = new Map<string, number>();

function newAddress(name: string): string {
  assert.match(name, /^[a-z0-9-]+$/, "a user's name, not an address");
  const n = (named.get(name) ?? 0) + 1;
  named.set(name, n);
  return `${n > 1 ? `${name}-${n}` : name}@${file}.example.org`;
}

/** Who needs the owner, the sample feeds or a restart gets an installation of its own; others share the worker's. */
interface Options {
  samples?: boolean;
  isOwn?: boolean;
  /** The path of the host below which an installation of its own is. */
  below?: string;
  /** Arguments of a publisher of its own. */
  publisher?: readonly string[];
  /** A whole Chromium of its own: the one that files share shows no notifications. */
  notifies?: boolean;
}

function startBackend({
  samples = false,
  isOwn = samples,
  below = "",
}: Options): Backend | Promise<Backend> {
  if (isRehearsal) return startRehearsed({ samples });
  if (isOwn || !shared.installation) return startBinary({ samples, below });
  return attachBinary(shared.installation.base, shared.installation.data);
}

function openBrowser({ notifies }: Options): Promise<Browser> {
  if (!notifies) return chromium.connect(shared.browser);
  const executablePath = findChromium();
  assert.ok(executablePath, "no whole Chromium");
  return chromium.launch({ executablePath, args: flags, chromiumSandbox: false });
}

/** Attaches to the worker's browser and to its installation, or starts one for this file. */
export async function startApp(options: Options = {}): Promise<App> {
  assert.ok(shared, "test files are run by run.ts");
  const [backend, publisher, browser] = await Promise.all([
    startBackend(options),
    options.publisher ? startPublisher(options.publisher) : attachPublisher(shared.publisher),
    openBrowser(options),
  ]);
  let owner: Promise<Session> | null = null;
  const app: App = {
    backend,
    publisher,
    browser,
    owner() {
      owner ??= backend
        .ownerLink()
        .then((link) => signIn(browser, link, backend.base, options.samples));
      return owner;
    },
    async addUser(name) {
      const email = newAddress(name);
      await backend.addUser(email, password);
      return email;
    },
    async user(name, as) {
      return app.signIn(await app.addUser(name), as);
    },
    async signIn(email, { isNew } = { isNew: false }) {
      return signIn(browser, await backend.linkFor(email), isNew ? undefined : backend.base);
    },
    visit: (visit, steps) => makeVisit(browser, visit.base ?? backend.base, visit, steps),
    async close() {
      await browser.close();
      await Promise.all([backend.close(), publisher.close()]);
    },
  };
  return app;
}

/**
 * Signs in by a one-time link as its button does, without a page, and returns the session. With an address the first run
 * counts as seen; with samples it waits until the program has added them.
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

/** Runs in the page: turns the offline copy off, so that nothing is fetched ahead. */
function disableOfflineCopy(): void {
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
  steps: (reader: Reader) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({
    ...trusting,
    viewport: { width, height },
    locale: locale === "ja" ? "ja-JP" : "en-US",
    timezoneId: "Asia/Tokyo",
    colorScheme: scheme,
    reducedMotion: "reduce",
    // Phones have overlay scroll bars and touch.
    hasTouch: width < 768,
    isMobile: width < 768,
    serviceWorkers: offline ? "allow" : "block",
    ...(as ? { storageState: as } : {}),
  });
  context.setDefaultTimeout(120_000);
  const watch = await watchContext(context);
  if (!offline) await context.addInitScript(disableOfflineCopy);
  const page = await context.newPage();
  try {
    await steps(new Reader(page, watch, base));
    assert.deepEqual(watch.problems, [], "problems that the page reported");
  } catch (error) {
    const kept = await takeScreenshot(page, `failures/${file}-${Date.now()}.png`).catch(
      () => "none",
    );
    const lines = [
      error instanceof Error ? error.message : String(error),
      `failed at ${page.url()} (${locale}, ${scheme}, ${width} wide)`,
      `screenshot: ${kept}`,
      ...watch.problems,
    ];
    throw new Error(lines.join("\n  "), { cause: error });
  } finally {
    // Stubs that are still at work have no request to answer any more.
    for (const one of [...context.pages(), context])
      await one.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
  }
}
