import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import type { paths } from "./api.gen";
import { api } from "./client";

type Answer =
  paths["/api/adapters"]["get"]["responses"]["200"]["content"]["application/json"]["adapters"];
export type Adapter = Answer[number];

const adaptersQuery = queryOptions({
  queryKey: ["adapters"] as const,
  queryFn: async ({ signal }) => (await api.get("/api/adapters", { signal })).adapters,
  staleTime: 60_000,
});

export function useAdapters() {
  return useQuery(adaptersQuery);
}

/** The adapter of the site of an address, as a person types it. */
export function adapterFor(adapters: readonly Adapter[], typed: string): Adapter | undefined {
  const address = typed.trim();
  const url = URL.parse(/^https?:/i.test(address) ? address : `https://${address}`);
  return url === null ? undefined : adapters.find(({ hosts }) => hosts.includes(url.hostname));
}

export async function deleteAdapter(client: QueryClient, name: string): Promise<void> {
  await api.delete("/api/adapters/{name}", { path: { name } });
  await client.invalidateQueries({ queryKey: adaptersQuery.queryKey });
}
