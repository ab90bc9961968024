import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { toApiError } from "./api-error";
import { api } from "./client";
import { refetchContent } from "./mutations/lists";
import { readPreference, setPreference } from "./preferences";
import { treeQuery } from "./tree";
import type { Imported } from "./types";

/** The preference with the import that this device follows, also after a reload. */
const followed = "import";

export const importsQuery = queryOptions({
  queryKey: ["imports"] as const,
  queryFn: async ({ signal }) => (await api.get("/api/imports", { signal })).imports,
});

export function importQuery(id: string) {
  return queryOptions({
    queryKey: ["import", id] as const,
    queryFn: ({ signal }) => api.get("/api/imports/{id}", { path: { id }, signal }),
    // Only while the tab is visible, and less and less often.
    refetchInterval: ({ state }) =>
      state.data && !isRunning(state.data) ? false : pace(state.dataUpdateCount),
    // It changes while it runs, and never afterwards.
    staleTime: ({ state }) => (state.data && !isRunning(state.data) ? Number.POSITIVE_INFINITY : 0),
  });
}

export function pace(asked: number): number {
  return asked < 10 ? 1_000 : asked < 40 ? 3_000 : 10_000;
}

export function isRunning(report: Pick<Imported, "state">): boolean {
  return report.state === "pending" || report.state === "processing";
}

/** Uploads a list. A short one is done with the answer; a long one is worked on afterwards. */
export async function startImport(client: QueryClient, file: File): Promise<Imported> {
  const form = new FormData();
  form.set("file", file);
  const report: Imported = await api.post("/api/import/opml", { body: form });
  followImport(client, report);
  return report;
}

/** Begins an import from another reader. */
export async function startMoveIn(
  client: QueryClient,
  account: { url: string; login: string; password: string },
): Promise<Imported> {
  const report: Imported = await api.post("/api/import/reader", { body: account });
  followImport(client, report);
  return report;
}

/** Shows the progress of an import that was begun, also after a reload. */
export function followImport(client: QueryClient, report: Imported): void {
  client.setQueryData(importQuery(report.id).queryKey, report);
  void client.invalidateQueries({ queryKey: importsQuery.queryKey });
  if (isRunning(report)) setPreference(followed, report.id);
  refetchAll(client);
}

function refetchAll(client: QueryClient): void {
  refetchContent(client);
  void client.invalidateQueries({ queryKey: treeQuery.queryKey });
}

/** Follows an import; its feeds appear in the lists as they are added. */
export function useImport(id: string, onEnd?: (report: Imported) => void) {
  const client = useQueryClient();
  const query = useQuery(importQuery(id));
  const { data } = query;
  const last = useRef<Imported | null>(null);
  const end = useRef(onEnd);
  end.current = onEnd;
  const isGone = toApiError(query.error).status === 404;

  useEffect(() => {
    if (isGone) unfollow(id);
  }, [isGone, id]);
  useEffect(() => {
    if (!data) return;
    const before = last.current;
    last.current = data;
    if (before && before.done !== data.done) refetchAll(client);
    if (!isRunning(data)) {
      unfollow(id);
      if (before && isRunning(before)) {
        void client.invalidateQueries({ queryKey: importsQuery.queryKey });
        end.current?.(data);
      }
    }
  }, [data, client, id]);
  return query;
}

function unfollow(id: string): void {
  if (readPreference(followed) === id) setPreference(followed, "");
}

export async function forgetImport(client: QueryClient, id: string): Promise<void> {
  await api.delete("/api/imports/{id}", { path: { id } });
  unfollow(id);
  client.removeQueries({ queryKey: importQuery(id).queryKey });
  client.setQueryData(importsQuery.queryKey, (old) => old?.filter((one) => one.id !== id));
}
