import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import type { components, paths } from "./api.gen";
import { api } from "./client";
import { feedsKey } from "./feeds";
import { streamsKey } from "./stream";

type Schemas = components["schemas"];
export type Watch = Schemas["Watch"];
export type WatchSettings = Schemas["WatchSettings"];
export type WatchFilter = Schemas["WatchFilter"];
export type WatchEvent = Schemas["WatchEvent"];
export type WatchQuery = Schemas["WatchQuery"];
export type Layout = Schemas["WatchLayout"];
export type Place = Schemas["WatchField"];
export type Preview = Schemas["WatchPreview"];
export type Candidate = Schemas["WatchCandidate"];
export type PreviewRow = Schemas["WatchRow"];
export type Result = Schemas["WatchResult"];
export type Offer = Schemas["Offer"];
type Body<O> = O extends { requestBody?: { content: { "application/json": infer B } } } ? B : never;
export type PreviewRequest = Body<paths["/api/watches/preview"]["post"]>;
type NewWatch = Body<paths["/api/watches"]["post"]>;
type WatchChange = Body<paths["/api/watches/{id}"]["patch"]>;
type WatchPlace = Body<paths["/api/watches/{id}"]["put"]>;
type Answer<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { "application/json": infer A } } } };
}
  ? A
  : never;
export type TrendDay = Answer<"/api/watches/{id}/trend">["days"][number];

export const ranges = ["30d", "90d", "1y", "all"] as const;
export type Range = (typeof ranges)[number];
export const statuses = ["onSale", "sold", "gone", "all"] as const;
export const sorts = ["price", "date", "sold"] as const;

/** What of the results of a watch is shown; amounts in minor units. */
export interface ResultFilter {
  status: (typeof statuses)[number];
  sort: (typeof sorts)[number];
  q: string;
  min: number | undefined;
  max: number | undefined;
}

const watchesKey = ["watches"] as const;

const watchesQuery = queryOptions({
  queryKey: [...watchesKey, "list"] as const,
  queryFn: ({ signal }) => api.get("/api/watches", { signal }),
  staleTime: 60_000,
  // A watch that was just made has its first look soon.
  refetchInterval: (query) =>
    query.state.data?.watches.some((one) => one.lastCheckedAt === null && !one.isPaused)
      ? 5_000
      : false,
});

export function useWatches() {
  return useQuery(watchesQuery);
}

export function useWatch(id: string) {
  return useQuery({
    queryKey: [...watchesKey, "one", id] as const,
    queryFn: async ({ signal }) =>
      (await api.get("/api/watches/{id}", { path: { id }, signal })).watch,
    staleTime: 60_000,
    refetchInterval: (query) =>
      query.state.data?.lastCheckedAt === null && !query.state.data.isPaused ? 5_000 : false,
  });
}

/** The results as of the watch's last check: after each one they are loaded again. */
export function useResults({ id, lastCheckedAt }: Watch, filter: ResultFilter) {
  return useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: [...watchesKey, "results", id, lastCheckedAt, filter] as const,
      queryFn: ({ signal, pageParam }) =>
        api.get("/api/watches/{id}/results", {
          path: { id },
          query: { ...queryOf(filter), ...(pageParam ? { cursor: pageParam } : {}) },
          signal,
        }),
      initialPageParam: "",
      getNextPageParam: (page) => page.next,
      staleTime: 60_000,
      placeholderData: keepPreviousData,
    }),
  );
}

/** The address of all results that match, as a file. */
export function exportUrl(id: string, filter: ResultFilter, format: "csv" | "json"): string {
  const query = new URLSearchParams({ format });
  for (const [name, value] of Object.entries(queryOf(filter))) query.set(name, String(value));
  return `/api/watches/${encodeURIComponent(id)}/results?${query}`;
}

function queryOf({ status, sort, q, min, max }: ResultFilter) {
  return {
    status,
    sort,
    ...(q.trim() === "" ? {} : { q: q.trim() }),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
  };
}

export function useResult(id: string, key: string) {
  return useQuery({
    queryKey: [...watchesKey, "result", id, key] as const,
    queryFn: ({ signal }) =>
      api.get("/api/watches/{id}/results/{key}", { path: { id, key }, signal }),
    staleTime: 60_000,
  });
}

export function useTrend({ id, lastCheckedAt }: Watch, range: Range) {
  return useQuery({
    queryKey: [...watchesKey, "trend", id, lastCheckedAt, range] as const,
    queryFn: ({ signal }) =>
      api.get("/api/watches/{id}/trend", { path: { id }, query: { range }, signal }),
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
}

export function previewWatch(body: PreviewRequest, signal: AbortSignal): Promise<Preview> {
  return api.post("/api/watches/preview", { body, signal });
}

export async function addWatch(client: QueryClient, body: NewWatch): Promise<Watch> {
  const { watch } = await api.post("/api/watches", { body });
  refetchAll(client);
  return watch;
}

export async function changeWatch(
  client: QueryClient,
  id: string,
  body: WatchChange,
): Promise<Watch> {
  const { watch } = await api.patch("/api/watches/{id}", { path: { id }, body });
  show(client, watch);
  refetchAll(client);
  return watch;
}

export async function runWatch(client: QueryClient, id: string): Promise<number> {
  const { watch, newItems } = await api.post("/api/watches/{id}/run", { path: { id } });
  show(client, watch);
  refetchAll(client);
  return newItems;
}

/** The watch is gone from the page at once, and comes back when the request is refused. */
export async function deleteWatch(client: QueryClient, id: string): Promise<void> {
  const { queryKey } = watchesQuery;
  const before = client.getQueryData(queryKey);
  client.setQueryData(
    queryKey,
    (now) => now && { ...now, watches: now.watches.filter((one) => one.id !== id) },
  );
  try {
    await api.delete("/api/watches/{id}", { path: { id } });
  } catch (cause) {
    client.setQueryData(queryKey, before);
    throw cause;
  }
  refetchAll(client);
}

/** Takes back a watch that was deleted, with all that it found. */
export async function restoreWatch(
  client: QueryClient,
  id: string,
  body: WatchPlace,
): Promise<void> {
  await api.put("/api/watches/{id}", { path: { id }, body });
  refetchAll(client);
}

function show(client: QueryClient, watch: Watch): void {
  client.setQueryData([...watchesKey, "one", watch.id], watch);
  client.setQueryData(
    watchesQuery.queryKey,
    (now) =>
      now && { ...now, watches: now.watches.map((one) => (one.id === watch.id ? watch : one)) },
  );
}

/** A watch is a feed of the side bar, and its events are in lists. */
function refetchAll(client: QueryClient): void {
  for (const queryKey of [watchesKey, feedsKey, streamsKey]) {
    void client.invalidateQueries({ queryKey });
  }
}
