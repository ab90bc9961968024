import type { QueryClient } from "@tanstack/react-query";
import type { components } from "../api.gen";
import { api } from "../client";
import { feedsKey } from "../feeds";
import { pause } from "../pause";
import type { Stream } from "../routes";

export type Refresh = components["schemas"]["RefreshAnswer"]["refresh"];

/** Milliseconds between checks of a refresh, less and less often, and until when. */
const pauses = [500, 1_000, 1_000, 2_000, 2_000, 3_000];
const slowest = 5_000;
const patience = 3 * 60_000;

/** The feeds of a list; for a label, a saved search and the starred list all feeds. */
function scopeOf(stream: Stream): { feed?: string; folder?: string } {
  if (stream.kind === "feed") return { feed: stream.id };
  if (stream.kind === "folder") return { folder: stream.id };
  if (stream.kind === "search" && stream.in)
    return { [stream.in[0] === "f" ? "feed" : "folder"]: stream.in.slice(1) };
  return {};
}

/**
 * Has the feeds of a list polled and reports progress. Checks only while the page is visible, and for a few minutes at
 * most. Returns the last progress.
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
    await visible(end);
    asked += 1;
    try {
      ({ refresh } = await api.get("/api/refreshes/{id}", { path: { id } }));
      misses = 0;
    } catch {
      misses += 1; // the refresh itself goes on
    }
    onProgress(refresh);
  }
  if (refresh.checked > 0) void client.invalidateQueries({ queryKey: feedsKey });
  return refresh;
}

/** Waits until the page is visible, at most until `end`. */
function visible(end: number): Promise<void> {
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
