import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, type CDPSession, chromium, type Page } from "playwright-core";
import { findChromium } from "../e2e/harness/paths.ts";

/** A browser as a person has it (motion and all), signed in by a one-time link, with a port for Lighthouse. */
export interface Measured {
  context: BrowserContext;
  port: number;
  /** Asks for nothing yet. */
  page(): Promise<{ page: Page; cdp: CDPSession }>;
  close(): Promise<void>;
}

export async function openBrowser(link: string): Promise<Measured> {
  const executablePath = findChromium();
  if (!executablePath)
    throw new Error("no Chromium is installed (Debian: apt-get install chromium)");
  const profile = await mkdtemp(join(tmpdir(), "ruri-bench-"));
  const port = await freePort();
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    chromiumSandbox: false,
    viewport: { width: 1440, height: 900 },
    serviceWorkers: "block",
    args: [
      `--remote-debugging-port=${port}`,
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  const answer = await context.request.post(link);
  if (!answer.ok()) throw new Error(`the one-time link: ${answer.status()}`);
  return {
    context,
    port,
    async page() {
      const page = await context.newPage();
      return { page, cdp: await context.newCDPSession(page) };
    },
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const { createServer } = await import("node:net");
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

export function slowDown(cdp: CDPSession, rate: number): Promise<unknown> {
  return cdp.send("Emulation.setCPUThrottlingRate", { rate });
}
