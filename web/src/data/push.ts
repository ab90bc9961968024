import type { QueryClient } from "@tanstack/react-query";
import { addDevice, notificationsQuery, removeDevice } from "./account/notifications";
import { toApiError } from "./api-error";
import { keepPushDevice, pushDevice } from "./push-device";

/** Whether this browser can show notifications, and why not. */
export type PushState = "insecure" | "add-to-home" | "unsupported" | "blocked" | "off" | "on";

export function pushState(): PushState {
  if (!isSecureContext) return "insecure";
  if (!("serviceWorker" in navigator && "PushManager" in window && "Notification" in window)) {
    // Safari on phones has notifications only for what is on the home screen.
    const isPhone = /iPhone|iPad/.test(navigator.userAgent) || navigator.maxTouchPoints > 1;
    const isApp = matchMedia("(display-mode: standalone)").matches;
    return /Safari/.test(navigator.userAgent) && isPhone && !isApp ? "add-to-home" : "unsupported";
  }
  if (Notification.permission === "denied") return "blocked";
  return pushDevice() !== null && Notification.permission === "granted" ? "on" : "off";
}

/** Asks for permission and registers this browser. Must follow a click. Returns what became of it. */
export async function startPush(client: QueryClient): Promise<PushState> {
  const state = pushState();
  if (state !== "off") return state;
  if ((await Notification.requestPermission()) !== "granted") return pushState();
  await register(client);
  return pushState();
}

async function register(client: QueryClient): Promise<void> {
  const { publicKey } = await client.ensureQueryData(notificationsQuery);
  const { pushManager } = await navigator.serviceWorker.ready;
  let subscription = await pushManager.getSubscription();
  // Made for another key: the server's secret has changed.
  if (subscription && keyOf(subscription) !== publicKey) {
    await subscription.unsubscribe();
    subscription = null;
  }
  subscription ??= await pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  });
  keepPushDevice((await addDevice(client, subscription)).id);
}

function keyOf({ options }: PushSubscription): string {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0));
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Renews the registration of a browser that has one: its session, its address or the key may be new. */
export async function renewPush(client: QueryClient): Promise<void> {
  if (pushState() !== "on") return keepPushDevice(null); // the permission was taken away
  try {
    await register(client);
  } catch {
    // Offline, or the server is busy: the next time.
  }
}

/** Ends the notifications of this browser. */
export async function stopPush(client: QueryClient): Promise<void> {
  const id = pushDevice();
  await leavePush();
  if (id === null) return;
  await removeDevice(client, id).catch((cause) => {
    if (toApiError(cause).status !== 404) throw cause; // it was removed from elsewhere
  });
}

/** The browser's part, without the server: its device ends with the session. */
export async function leavePush(): Promise<void> {
  keepPushDevice(null);
  try {
    const registration = await navigator.serviceWorker?.getRegistration();
    await (await registration?.pushManager.getSubscription())?.unsubscribe();
  } catch {
    // The push service cannot be reached; it reports the address as gone later.
  }
}
