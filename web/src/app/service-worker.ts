import { workerUrl } from "@/ui/trusted-types";

const hour = 60 * 60_000;
// The message that src/worker/worker.ts expects.
const takeOver = "take-over";

/**
 * Registers the worker that stores the page for offline use, and checks for a new version once an hour. Calls `onUpdate`
 * when there is one; it waits until applyUpdate is called or all tabs are closed.
 */
export function startWorker(onUpdate: () => void): () => void {
  // Missing over plain http to another host, and in private windows of some browsers.
  const container: ServiceWorkerContainer | undefined = navigator.serviceWorker;
  if (!container) return () => {};
  const stopped = new AbortController();
  const { signal } = stopped;
  const hadWorker = container.controller !== null;
  // Another tab activated the new version; this one still runs the old one.
  container.addEventListener("controllerchange", () => hadWorker && onUpdate(), { signal });

  container.register(workerUrl()).then(
    (registration) => {
      if (signal.aborted || !registration) return; // browsers can be set to keep none
      const check = () => {
        if (registration.waiting && container.controller) onUpdate();
      };
      registration.addEventListener(
        "updatefound",
        () => registration.installing?.addEventListener("statechange", check, { signal }),
        { signal },
      );
      check();
      let updatedAt = Date.now();
      const update = () => {
        if (document.hidden || Date.now() - updatedAt < hour) return;
        updatedAt = Date.now();
        registration.update().catch(() => undefined); // offline: next time
      };
      const timer = setInterval(update, hour / 4);
      signal.addEventListener("abort", () => clearInterval(timer));
      document.addEventListener("visibilitychange", update, { signal });
    },
    // The page works without.
    () => undefined,
  );
  return () => stopped.abort();
}

/** Activates the waiting version and reloads the page. */
export async function applyUpdate(): Promise<void> {
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
