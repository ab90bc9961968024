import type { QueryClient } from "@tanstack/react-query";
import { api } from "../client";
import { meQuery } from "../me";
import { tokensQuery } from "./tokens";

/** Ends all other sessions. Without the current password it needs a sign-in of the last ten minutes. */
export async function setPassword(
  client: QueryClient,
  current: string,
  password: string,
  revokeTokens: boolean,
): Promise<void> {
  await api.put("/api/users/me/password", {
    body: { password, revokeTokens, ...(current === "" ? {} : { current }) },
  });
  client.setQueryData(
    meQuery.queryKey,
    (me) => me && { ...me, user: { ...me.user, hasPassword: true }, needsPassword: false },
  );
  if (revokeTokens) await client.invalidateQueries(tokensQuery);
}

export async function setEmail(client: QueryClient, current: string, email: string): Promise<void> {
  const { user } = await api.put("/api/users/me/email", {
    body: { email, ...(current === "" ? {} : { current }) },
  });
  client.setQueryData(meQuery.queryKey, (me) => me && { ...me, user });
}

/** Deletes the account with all its data. The owner confirms that there will be no owner. */
export async function removeAccount(address: string, isOwner: boolean): Promise<void> {
  await api.delete("/api/users/me", {
    query: { confirm: address, ...(isOwner ? { owner: true } : {}) },
  });
}
