import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import type { components } from "../api.gen";
import { api } from "../client";
import { updateLoaded } from "./loaded";

export type Share = components["schemas"]["Share"];

export const sharesQuery = queryOptions({
  queryKey: ["shares"] as const,
  queryFn: async ({ signal }) => (await api.get("/api/shares", { signal })).shares,
});

/** The lists that are shared as feeds. */
export function useShares() {
  return useQuery(sharesQuery);
}

export const sharePath = (id: string) => `/api/shares/${encodeURIComponent(id)}`;

/** Returns the list with its addresses, which only this answer has. */
export async function addShare(client: QueryClient, of: string, title: string): Promise<Share> {
  const { share } = await api.post("/api/shares", { body: title ? { of, title } : { of } });
  const { atomUrl: _, jsonUrl: __, ...kept } = share;
  await updateLoaded(client, sharesQuery, (list) => [kept, ...list]);
  return share;
}
