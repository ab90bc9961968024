import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { feedsKey } from "./feeds";
import { streamsKey } from "./stream";

/** All starred items as one file: the server gives a long list in parts. */
export async function starredFile(): Promise<string> {
  const { continuation, ...file } = await api.get("/api/export/starred");
  let cursor = continuation;
  while (cursor) {
    const part = await api.get("/api/export/starred", { query: { cursor } });
    file.items.push(...part.items);
    cursor = part.continuation;
  }
  return JSON.stringify(file);
}

export async function importStarred(client: QueryClient, file: File) {
  const form = new FormData();
  form.set("file", file);
  const report = await api.post("/api/import/starred", { body: form });
  void client.invalidateQueries({ queryKey: feedsKey });
  void client.invalidateQueries({ queryKey: streamsKey });
  return report;
}

export type StarredReport = Awaited<ReturnType<typeof importStarred>>;

/** Lists of starred items are JSON, lists of feeds XML; a file's name may say nothing. */
export async function holdsStars(file: File): Promise<boolean> {
  if (/\.json$/i.test(file.name)) return true;
  const start = await file.slice(0, 64).text();
  return /^\uFEFF?\s*[[{]/.test(start);
}
