import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import type { components } from "../api.gen";
import { api } from "../client";
import { meQuery } from "../me";
import { updateLoaded } from "./loaded";

export type Site = components["schemas"]["Site"];

const siteQuery = queryOptions({
  queryKey: ["site"] as const,
  queryFn: ({ signal }) => api.get("/api/site", { signal }),
});
const invitationsQuery = queryOptions({
  queryKey: ["invitations"] as const,
  queryFn: async ({ signal }) => (await api.get("/api/invitations", { signal })).invitations,
});

export function useSite() {
  return useQuery(siteQuery);
}

export function useInvitations() {
  return useQuery(invitationsQuery);
}

/** Shows the change at once; a refusal restores what was before. */
export async function setSite(
  client: QueryClient,
  change: components["schemas"]["SiteChange"],
): Promise<void> {
  const before = client.getQueryData(siteQuery.queryKey);
  await updateLoaded(client, siteQuery, (site) => shown(site, change));
  try {
    const site = await api.put("/api/site", { body: change });
    await updateLoaded(client, siteQuery, () => site);
    const bookmarkCounts = site.bookmarkCounts.isOn;
    client.setQueryData(meQuery.queryKey, (me) => me && { ...me, bookmarkCounts });
  } catch (cause) {
    client.setQueryData(siteQuery.queryKey, before);
    throw cause;
  }
}

function shown(site: Site, change: components["schemas"]["SiteChange"]): Site {
  return {
    signUp: change.signUp ?? site.signUp,
    bookmarkCounts: { ...site.bookmarkCounts, ...change.bookmarkCounts },
    publicPages: change.publicPages ?? site.publicPages,
    keyPhrases: site.keyPhrases, // the server may refuse a client ID
    backup: site.backup,
  };
}

/** Returns the link, which only this answer has. */
export async function invite(client: QueryClient, note: string): Promise<string> {
  const { invitation } = await api.post("/api/invitations", { body: note === "" ? {} : { note } });
  const { url, ...kept } = invitation;
  await updateLoaded(client, invitationsQuery, (list) => [kept, ...list]);
  return url ?? "";
}
