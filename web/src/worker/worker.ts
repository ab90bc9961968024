import { parseRoute } from "../data/routes";
import { type Build, Shell } from "./shell";

/** What the page tells its worker when the person wants the new version. */
const takeOver = "take-over";

// Written in by the build (scripts/worker.ts).
declare const __BUILD__: Build;

// TypeScript's types of workers and of pages exclude each other; this is all that is needed of the first.
interface Lasting extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Asking extends Event {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface Scope {
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(kind: "install" | "activate", listener: (event: Lasting) => void): void;
  addEventListener(kind: "fetch", listener: (event: Asking) => void): void;
  addEventListener(kind: "message", listener: (event: MessageEvent) => void): void;
}

const scope = self as unknown as Scope;
const shell = new Shell(__BUILD__, caches);
const page = "/index.html";

scope.addEventListener("install", (event) => {
  event.waitUntil(shell.fill(fetch));
});

scope.addEventListener("activate", (event) => {
  event.waitUntil(shell.forgetOlder().then(() => scope.clients.claim()));
});

// A new version waits until it is asked for: nothing is reloaded under somebody who reads.
scope.addEventListener("message", (event) => {
  if (event.data === takeOver) void scope.skipWaiting();
});

// Only what the page is made of. Data is the page's own business (src/data/offline), and what the worker does not
// answer goes to the network as if there were no worker.
scope.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  const kept =
    request.mode === "navigate"
      ? parseRoute(pathname, "").screen !== "missing" && shell.file(page)
      : pathname.startsWith("/assets/")
        ? shell.anyFile(pathname)
        : shell.has(pathname) && shell.file(pathname);
  if (kept) event.respondWith(kept.then((answer) => answer ?? fetch(request)));
});
