import type { QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { refetchContent } from "./mutations/lists";

/** All starred items as one file; the server sends a long list in parts. */
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
  refetchContent(client);
  return report;
}

export type StarredReport = Awaited<ReturnType<typeof importStarred>>;

/** Whether a file is a list of starred items (JSON) and not of feeds (XML); the name of a file may not tell. */
export async function isStarredFile(file: File): Promise<boolean> {
  if (/\.json$/i.test(file.name)) return true;
  const start = await file.slice(0, 64).text();
  return /^\uFEFF?\s*[[{]/.test(start);
}
