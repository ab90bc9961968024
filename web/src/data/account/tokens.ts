import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import type { components } from "../api.gen";
import { api } from "../client";
import { updateLoaded } from "./loaded";

export type Token = components["schemas"]["Token"];
export type Scope = Token["scopes"][number];

export const tokensQuery = queryOptions({
  queryKey: ["tokens"] as const,
  queryFn: async ({ signal }) => (await api.get("/api/tokens", { signal })).tokens,
});

export const tokenPath = (id: string) => `/api/tokens/${encodeURIComponent(id)}`;

const isAppPassword = ({ scopes }: Token) => scopes.includes("sync");

/** The tokens for programs of one's own. */
export function useTokens() {
  return useQuery({ ...tokensQuery, select: (all) => all.filter((one) => !isAppPassword(one)) });
}

const minute = 60_000;

/** The passwords of reader apps. Often asked for while a new one waits for its first use. */
export function useAppPasswords() {
  return useQuery({
    ...tokensQuery,
    select: (all) => all.filter((one) => isAppPassword(one) && one.revokedAt === null),
    refetchInterval: ({ state }) => (state.data?.some(isAwaited) ? 5_000 : minute),
  });
}

function isAwaited(token: Token): boolean {
  const age = Date.now() - Date.parse(token.createdAt);
  return isAppPassword(token) && token.lastUsedAt === null && age < 15 * minute;
}

interface TokenRequest {
  name: string;
  description?: string;
  scopes: Scope[];
  expiresAt: string | null;
}

/** Returns the token itself, which only this answer has, and its id in the list. */
export async function createToken(
  client: QueryClient,
  request: TokenRequest,
): Promise<{ id: string; token: string }> {
  const { token, ...kept } = await api.post("/api/tokens", { body: request });
  await updateLoaded(client, tokensQuery, (list) => [kept, ...list]);
  return { id: kept.id, token };
}
