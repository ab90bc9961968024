import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import type { components } from "../api.gen";
import { api } from "../client";

export type Webhook = components["schemas"]["Webhook"];
export type Outcome = components["schemas"]["HookOutcome"];
export type WebhookEvent = Webhook["events"][number];

export const webhooksQuery = queryOptions({
  queryKey: ["webhooks"] as const,
  queryFn: async ({ signal }) => (await api.get("/api/webhooks", { signal })).webhooks,
});

export function useWebhooks() {
  return useQuery(webhooksQuery);
}

function put(client: QueryClient, hook: Webhook): void {
  // The secret is told once; it is no matter of a cache.
  const { secret: _, ...kept } = hook;
  client.setQueryData(webhooksQuery.queryKey, (list = []) =>
    list.some((one) => one.id === kept.id)
      ? list.map((one) => (one.id === kept.id ? kept : one))
      : [...list, kept],
  );
}

export interface Wish {
  url: string;
  events: WebhookEvent[];
  feeds: Webhook["feeds"];
}

/** The answer has the secret, this once. */
export async function makeWebhook(client: QueryClient, wish: Wish): Promise<string> {
  const { webhook } = await api.post("/api/webhooks", {
    body: { ...wish, isEnabled: true, renewSecret: false } as never,
  });
  put(client, webhook);
  return webhook.secret ?? "";
}

export async function switchWebhook(
  client: QueryClient,
  id: string,
  isEnabled: boolean,
): Promise<void> {
  const { webhook } = await api.patch("/api/webhooks/{id}", {
    path: { id },
    body: { isEnabled } as components["schemas"]["WebhookWish"],
  });
  put(client, webhook);
}

/** Its secret stays, as does whether it is on. */
export async function changeWebhook(client: QueryClient, id: string, wish: Wish): Promise<void> {
  const { webhook } = await api.patch("/api/webhooks/{id}", {
    path: { id },
    body: { ...wish } as components["schemas"]["WebhookWish"],
  });
  put(client, webhook);
}

export async function renewSecret(client: QueryClient, id: string): Promise<string> {
  const { webhook } = await api.patch("/api/webhooks/{id}", {
    path: { id },
    body: { renewSecret: true } as components["schemas"]["WebhookWish"],
  });
  put(client, webhook);
  return webhook.secret ?? "";
}

export async function testWebhook(id: string): Promise<Outcome> {
  return (await api.post("/api/webhooks/{id}/test", { path: { id } })).outcome;
}

export async function retryDelivery(
  client: QueryClient,
  id: string,
  delivery: string,
): Promise<void> {
  const { webhook } = await api.post("/api/webhooks/{id}/deliveries/{delivery}/retry", {
    path: { id, delivery },
  });
  put(client, webhook);
}
