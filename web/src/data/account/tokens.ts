import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import type { components } from "../api.gen";
import { api } from "../client";

export type Token = components["schemas"]["Token"];
export type Scope = Token["scopes"][number];

export const tokensQuery = queryOptions({
  queryKey: ["tokens"] as const,
  queryFn: async ({ signal }) => (await api.get("/api/tokens", { signal })).tokens,
});

export function useTokens() {
  return useQuery(tokensQuery);
}

interface TokenRequest {
  name: string;
  scopes: Scope[];
  expiresAt: string | null;
}

/** Returns the token itself, which only this answer has. */
export async function createToken(client: QueryClient, request: TokenRequest): Promise<string> {
  const { token, ...kept } = await api.post("/api/tokens", { body: request });
  client.setQueryData(tokensQuery.queryKey, (list) => [kept, ...(list ?? [])]);
  return token;
}
