import { workerUrl } from "./trusted";

const hour = 60 * 60_000;
// As src/worker/worker.ts knows it.
const takeOver = "take-over";

/**
 * Registers the worker that keeps the page for times without a network, and looks for another version of it once an
 * hour. `onNews` is told when one is there; it waits until reloadInto is called, or until all tabs are closed.
 */
export function startWorker(onNews: () => void): () => void {
  // There is none over plain http to another machine, nor in a private window of some browsers.
  const container: ServiceWorkerContainer | undefined = navigator.serviceWorker;
  if (!container) return () => {};
  const stopped = new AbortController();
  const { signal } = stopped;
  const hadWorker = container.controller !== null;
  // Another tab let the new version in; this one still runs the old one.
  container.addEventListener("controllerchange", () => hadWorker && onNews(), { signal });

  container.register(workerUrl()).then(
    (registration) => {
      if (signal.aborted || !registration) return; // a browser may be told to keep none
      const look = () => {
        if (registration.waiting && container.controller) onNews();
      };
      registration.addEventListener(
        "updatefound",
        () => registration.installing?.addEventListener("statechange", look, { signal }),
        { signal },
      );
      look();
      let asked = Date.now();
      const ask = () => {
        if (document.hidden || Date.now() - asked < hour) return;
        asked = Date.now();
        registration.update().catch(() => undefined); // offline: next time
      };
      const timer = setInterval(ask, hour / 4);
      signal.addEventListener("abort", () => clearInterval(timer));
      document.addEventListener("visibilitychange", ask, { signal });
    },
    // A browser that refuses has its reasons, and the page works without.
    () => undefined,
  );
  return () => stopped.abort();
}

/** Lets the waiting version in, and loads the page anew with it. */
export async function reloadInto(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration();
  const { waiting } = registration ?? {};
  if (!waiting) {
    location.reload();
    return;
  }
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), {
    once: true,
  });
  waiting.postMessage(takeOver);
}
