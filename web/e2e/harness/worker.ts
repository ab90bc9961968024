import type { BrowserServer } from "playwright-core";
import { chromium } from "playwright-core";
import { type Backend, startBinary } from "./binary.ts";
import { findTestBrowser, isRehearsal } from "./paths.ts";
import { type Publisher, startPublisher } from "./publisher.ts";

/** What run.ts passes to a test file, as JSON in RURI_E2E_WORKER. */
export interface Shared {
  /** WebSocket address of the worker's browser. */
  browser: string;
  /** The worker's installation; null in the rehearsal, where each file deploys a stack. */
  installation: { base: string; data: string } | null;
  /** A publisher that no other file uses, so that feeds on a shared installation are the file's own. */
  publisher: string;
}

/** How the browsers of the tests are launched. */
export const flags = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // No request leaves the machine; watch.ts reports each that would. Playwright's own way, a route for all requests, has
  // every one pass through the test, and turns the browser's cache off.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
  // The rehearsal's certificate is signed by an authority that the browser does not know.
  ...(isRehearsal ? ["--ignore-certificate-errors"] : []),
];

/** One browser and one installation, which the test files use one after the other. */
interface Worker {
  /** What the next file gets. Its publisher lives until the worker is closed: no later file gets the same port. */
  share(): Promise<Shared>;
  close(): Promise<void>;
}

export async function startWorker(): Promise<Worker> {
  const executablePath = findTestBrowser();
  if (!executablePath) throw new Error("no Chromium");
  const [browser, backend]: [BrowserServer, Backend | null] = await Promise.all([
    chromium.launchServer({ executablePath, headless: true, args: flags, chromiumSandbox: false }),
    isRehearsal ? null : startBinary({ samples: false }),
  ]);
  const publishers: Publisher[] = [];
  return {
    async share() {
      const publisher = await startPublisher();
      publishers.push(publisher);
      return {
        browser: browser.wsEndpoint(),
        installation: backend && { base: backend.base, data: backend.server?.data ?? "" },
        publisher: publisher.url(""),
      };
    },
    async close() {
      await Promise.all([browser, backend, ...publishers].map((one) => one?.close()));
    },
  };
}
