import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "../client";
import { signInMethods } from "../sign-in";

const identitiesQuery = queryOptions({
  queryKey: ["identities"] as const,
  queryFn: async ({ signal }) => (await api.get("/api/identities", { signal })).identities,
});

export function useIdentities() {
  return useQuery(identitiesQuery);
}

/** The ways to sign in that this reader offers. */
export function useSignInMethods() {
  return useQuery({ queryKey: ["sign-in-methods"], queryFn: signInMethods });
}
