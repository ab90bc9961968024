import type { QueryClient } from "@tanstack/react-query";
import type { components } from "./api.gen";
import { api } from "./client";
import { feedsKey } from "./feeds";
import type { Stream } from "./routes";

export type Refresh = components["schemas"]["RefreshAnswer"]["refresh"];

/** How often a refresh is asked after: less and less often, and no longer than this in all. */
const pauses = [500, 1_000, 1_000, 2_000, 2_000, 3_000];
const slowest = 5_000;
const patience = 3 * 60_000;

/** Which feeds a list is made of: a label's and the starred list can have items of any. */
function scopeOf(stream: Stream): { feed?: string; folder?: string } {
  if (stream.kind === "feed") return { feed: stream.id };
  if (stream.kind === "folder") return { folder: stream.id };
  return {};
}

/**
 * Has the feeds of a list polled, and tells how far that is. Only a visible page asks; what takes longer than its
 * patience goes on without it. Gives the last that was heard.
 */
export async function refreshList(
  client: QueryClient,
  stream: Stream,
  onProgress: (refresh: Refresh) => void,
): Promise<Refresh> {
  let { refresh } = await api.post("/api/refreshes", { body: scopeOf(stream) });
  onProgress(refresh);
  const { id } = refresh;
  const end = Date.now() + patience;
  let asked = 0;
  let misses = 0;
  while (id !== null && !refresh.isDone && Date.now() < end && misses < 3) {
    await pause(pauses[asked] ?? slowest);
    await seen(end);
    asked += 1;
    try {
      ({ refresh } = await api.get("/api/refreshes/{id}", { path: { id } }));
      misses = 0;
    } catch {
      misses += 1; // it goes on without being watched
    }
    onProgress(refresh);
  }
  if (refresh.checked > 0) void client.invalidateQueries({ queryKey: feedsKey });
  return refresh;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Waits until the page is looked at, or until the time is over. */
function seen(end: number): Promise<void> {
  if (document.visibilityState === "visible") return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      document.removeEventListener("visibilitychange", done);
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, Math.max(0, end - Date.now()));
    document.addEventListener("visibilitychange", done);
  });
}
