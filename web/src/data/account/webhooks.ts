import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import type { components } from "../api.gen";
import { api } from "../client";
import { updateLoaded } from "./loaded";

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

async function put(client: QueryClient, hook: Webhook): Promise<void> {
  // The secret is shown once and not cached.
  const { secret: _, ...kept } = hook;
  await updateLoaded(client, webhooksQuery, (list) =>
    list.some((one) => one.id === kept.id)
      ? list.map((one) => (one.id === kept.id ? kept : one))
      : [...list, kept],
  );
}

export interface WebhookConfig {
  url: string;
  events: WebhookEvent[];
  feeds: Webhook["feeds"];
  searchId: Webhook["searchId"];
  format: Webhook["format"];
  /** The name of a key among the owner's settings; empty for none. */
  key: string;
  template: string;
  /** Of the format own. */
  headers: Record<string, string>;
}

/** Returns the secret, which only this answer has. */
export async function createWebhook(client: QueryClient, config: WebhookConfig): Promise<string> {
  const { webhook } = await api.post("/api/webhooks", {
    body: { ...config, isEnabled: true, renewSecret: false } as never,
  });
  await put(client, webhook);
  return webhook.secret ?? "";
}

/** Changes only the given parts. Returns the secret when it was renewed. */
export async function changeWebhook(
  client: QueryClient,
  id: string,
  changes: Partial<WebhookConfig> & { isEnabled?: boolean; renewSecret?: boolean },
): Promise<string> {
  const { webhook } = await api.patch("/api/webhooks/{id}", {
    path: { id },
    body: changes as components["schemas"]["WebhookWish"],
  });
  await put(client, webhook);
  return webhook.secret ?? "";
}

export async function testWebhook(id: string): Promise<Outcome> {
  return (await api.post("/api/webhooks/{id}/test", { path: { id } })).outcome;
}

/** Sends an article to a webhook, and returns how the first attempt ended. */
export async function sendItem(id: string, webhookId: string): Promise<Outcome> {
  return (await api.post("/api/items/{id}/send", { path: { id }, body: { webhookId } })).outcome;
}

export async function retryDelivery(
  client: QueryClient,
  id: string,
  delivery: string,
): Promise<void> {
  const { webhook } = await api.post("/api/webhooks/{id}/deliveries/{delivery}/retry", {
    path: { id, delivery },
  });
  await put(client, webhook);
}
