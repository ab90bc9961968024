import type { BrowserContext, Page, Request } from "playwright-core";

/** Collects the problems of a page: console errors, exceptions, policy violations, requests to other hosts. */
export interface Watch {
  readonly problems: readonly string[];
  /** Error statuses that a test provokes; the browser writes each to the console. */
  expectStatus(...codes: number[]): void;
  expect(pattern: RegExp): void;
  /** The number of requests in flight. */
  inFlight(): number;
}

/** Runs in every page before its own code. */
function listenInPage(): void {
  document.addEventListener("securitypolicyviolation", (event) => {
    console.error(
      `content policy: ${event.effectiveDirective} ${event.blockedURI} ${event.sample} ${event.sourceFile ?? ""}`,
    );
  });
  const shifts: string[] = [];
  (window as unknown as { shifts: string[] }).shifts = shifts;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const shift = entry as PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
        sources: { node: Node | null }[];
      };
      if (shift.hadRecentInput) continue;
      const moved = shift.sources.map(({ node }) => {
        const element = node instanceof Element ? node : node?.parentElement;
        return element ? `${element.tagName.toLowerCase()}.${element.className}` : "?";
      });
      shifts.push(`${shift.value.toFixed(4)} ${moved.join(", ")}`);
    }
  }).observe({ type: "layout-shift", buffered: true });
}

/** Whether a request brings a page a new document, not a frame within it. */
function isNewDocument(request: Request): boolean {
  if (!request.isNavigationRequest()) return false;
  try {
    return request.frame().parentFrame() === null;
  } catch {
    return false; // of a frame that is still being made
  }
}

/** Watches all pages of a context. */
export async function watchContext(context: BrowserContext): Promise<Watch> {
  const problems: string[] = [];
  // Playwright's own message in tests without the service worker.
  const expected: RegExp[] = [/Service Worker registration blocked by Playwright/];
  const report = (text: string) => {
    if (!expected.some((pattern) => pattern.test(text))) problems.push(text);
  };
  const requests = new Set<Request>();
  context.on("request", (request) => {
    // Of requests that a new document breaks off, the browser does not always say that they ended.
    if (context.pages().length === 1 && isNewDocument(request)) requests.clear();
    requests.add(request);
  });
  context.on("requestfinished", (request) => requests.delete(request));
  context.on("requestfailed", (request) => {
    requests.delete(request);
    // The browser finds no other host than this machine (worker.ts).
    if (request.failure()?.errorText === "net::ERR_NAME_NOT_RESOLVED")
      report(`request to another host: ${request.url()}`);
  });
  await context.addInitScript(listenInPage);
  context.on("page", (page: Page) => {
    page.on("console", (message) => {
      if (message.type() !== "error" && message.type() !== "warning") return;
      report(`console ${message.type()}: ${message.text()} (${message.location().url})`);
    });
    page.on("pageerror", (error) => report(`page error: ${error.stack ?? error.message}`));
    page.on("crash", () => report("the page crashed"));
    page.on("dialog", (dialog) => {
      report(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  });
  return {
    problems,
    expectStatus: (...codes) => expected.push(new RegExp(`status of (${codes.join("|")})\\b`)),
    expect: (pattern) => expected.push(pattern),
    inFlight: () => requests.size,
  };
}
