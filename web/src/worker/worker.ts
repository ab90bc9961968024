import { parseRoute } from "../data/routes";
import { notificationOf, open } from "./push";
import { type Build, Shell } from "./shell";

/** Message from the page (app/service-worker.ts): the person wants the new version. */
const takeOver = "take-over";

// Defined by the build (scripts/worker.ts).
declare const __BUILD__: Build;

// TypeScript's types of workers and of pages exclude each other; these are the ones needed here.
interface Lasting extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Asking extends Event {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface Pushed extends Lasting {
  readonly data: { text(): string } | null;
}
interface Clicked extends Lasting {
  readonly notification: Notification;
}
interface Scope {
  readonly clients: { claim(): Promise<void> } & Parameters<typeof open>[0];
  readonly registration: ServiceWorkerRegistration;
  skipWaiting(): Promise<void>;
  addEventListener(kind: "install" | "activate", listener: (event: Lasting) => void): void;
  addEventListener(kind: "fetch", listener: (event: Asking) => void): void;
  addEventListener(kind: "message", listener: (event: MessageEvent) => void): void;
  addEventListener(kind: "push", listener: (event: Pushed) => void): void;
  addEventListener(kind: "notificationclick", listener: (event: Clicked) => void): void;
}

const scope = self as unknown as Scope;
// The path of the host below which the reader is served.
const base = location.pathname.replace(/\/worker\.js$/, "");
const build: Build = __BUILD__;
const parts = build.parts.map(([path, digest]) => [base + path, digest] as const);
const shell = new Shell({ id: build.id, parts }, caches);
const page = `${base}/index.html`;

scope.addEventListener("install", (event) => {
  event.waitUntil(shell.fill(fetch));
});

scope.addEventListener("activate", (event) => {
  event.waitUntil(shell.forgetOlder().then(() => scope.clients.claim()));
});

// A new version waits until the person asks for it.
scope.addEventListener("message", (event) => {
  if (event.data === takeOver) void scope.skipWaiting();
});

scope.addEventListener("push", (event) => {
  const { title, path, ...shown } = notificationOf(event.data?.text() ?? "", navigator.language);
  const icon = `${base}/icons/icon-192.png`;
  const look = { icon, badge: icon, data: base + path };
  event.waitUntil(scope.registration.showNotification(title, { ...shown, ...look }));
});

scope.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(scope.clients, String(event.notification.data)));
});

// Serves only the files of the page. The page itself stores data (src/data/offline); everything else goes to the network.
scope.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  const kept =
    request.mode === "navigate"
      ? parseRoute(pathname.slice(base.length), "").screen !== "missing" && shell.file(page)
      : pathname.startsWith(`${base}/assets/`)
        ? shell.anyFile(pathname)
        : shell.has(pathname) && shell.file(pathname);
  if (kept) event.respondWith(kept.then((answer) => answer ?? fetch(request)));
});
