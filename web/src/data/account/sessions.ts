import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import type { components } from "../api.gen";
import { api } from "../client";
import { updateLoaded } from "./loaded";
import { tokensQuery } from "./tokens";

export type Session = components["schemas"]["Session"];

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"] as const,
  queryFn: async ({ signal }) => (await api.get("/api/sessions", { signal })).sessions,
});

export function useSessions() {
  return useQuery(sessionsQuery);
}

export async function endSession(client: QueryClient, id: string): Promise<void> {
  await api.delete("/api/sessions/{id}", { path: { id } });
  await updateLoaded(client, sessionsQuery, (list) => list.filter((one) => one.id !== id));
}

/** Signs out everywhere else; optionally revokes API tokens too. Returns the number of ended sessions. */
export async function endOtherSessions(
  client: QueryClient,
  revokeTokens: boolean,
): Promise<number> {
  const { ended } = await api.delete("/api/sessions", { query: { revokeTokens } });
  if (revokeTokens) await client.invalidateQueries(tokensQuery);
  await updateLoaded(client, sessionsQuery, (list) => list.filter((one) => one.isCurrent));
  return ended;
}
