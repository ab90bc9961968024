import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import type { components } from "../api.gen";
import { api } from "../client";
import { updateLoaded } from "./loaded";

export type Notifications = components["schemas"]["Notifications"];
export type NotifiedDevice = components["schemas"]["Device"];

export const notificationsQuery = queryOptions({
  queryKey: ["notifications"] as const,
  queryFn: ({ signal }) => api.get("/api/notifications", { signal }),
});

/** The choice of notifications; loaded only if this device or a page of settings needs it. */
export function useNotifications(enabled = true) {
  return useQuery({ ...notificationsQuery, enabled });
}

export const devicePath = (id: string) => `/api/notifications/devices/${encodeURIComponent(id)}`;

export type Wish = Partial<Pick<Notifications, "folderIds" | "searchIds" | "quietHours">>;

export async function changeNotifications(client: QueryClient, body: Wish): Promise<void> {
  const now = await api.patch("/api/notifications", { body });
  await updateLoaded(client, notificationsQuery, () => now);
}

/** Registers this browser, or renews its registration. */
export async function addDevice(client: QueryClient, subscription: PushSubscription) {
  const body = subscription.toJSON() as {
    endpoint: string;
    keys: { p256dh: string; auth: string };
  };
  const { device } = await api.post("/api/notifications/devices", { body });
  await updateLoaded(client, notificationsQuery, (old) => ({
    ...old,
    devices: [...old.devices.filter((one) => one.id !== device.id), device],
  }));
  return device;
}

export async function removeDevice(client: QueryClient, id: string): Promise<void> {
  await api.delete("/api/notifications/devices/{id}", { path: { id } });
  await updateLoaded(client, notificationsQuery, (old) => ({
    ...old,
    devices: old.devices.filter((one) => one.id !== id),
  }));
}

export async function testDevice(id: string): Promise<void> {
  await api.post("/api/notifications/devices/{id}/test", { path: { id } });
}
