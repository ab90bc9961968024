import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Notifications as Settings } from "@/data/account/notifications";
import { aBeginning } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { Notifications } from "./notifications";

const key = "BCVxsr7N_eNgVRqvHtD0zTZsEc6";
const device = {
  id: "d1",
  name: "Firefox on Linux",
  language: "en" as const,
  createdAt: "2026-11-20T00:00:00Z",
  lastDeliveredAt: null,
  failingSince: null,
};

function serve(given: Partial<Settings> = {}) {
  const settings: Settings = {
    publicKey: key,
    folderIds: [],
    searchIds: [],
    quietHours: null,
    devices: [device],
    ...given,
  };
  return mockServer({
    "GET /api/me": { body: aBeginning() },
    "GET /api/notifications": { body: settings },
    "PATCH /api/notifications": ({ body }) => ({ body: { ...settings, ...(body as object) } }),
    "POST /api/notifications/devices": { status: 201, body: { device: { ...device, id: "d2" } } },
    "DELETE /api/notifications/devices/d1": { status: 204 },
    "DELETE /api/notifications/devices/d2": { status: 204 },
    "POST /api/notifications/devices/d1/test": { status: 204 },
  });
}

/** A browser with a push service. */
function browser(permission: NotificationPermission, answer: NotificationPermission = "granted") {
  let subscription: object | null = null;
  const pushManager = {
    getSubscription: async () => subscription,
    subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) => {
      subscription = {
        options: { applicationServerKey: new ArrayBuffer(0) },
        toJSON: () => ({ endpoint: "https://push.example/1", keys: { p256dh: "p", auth: "a" } }),
        unsubscribe: async () => {
          subscription = null;
        },
        applicationServerKey,
      };
      return subscription;
    },
  };
  vi.stubGlobal("isSecureContext", true);
  vi.stubGlobal("PushManager", class {});
  const notification = {
    permission,
    requestPermission: async () => {
      notification.permission = answer;
      return answer;
    },
  };
  vi.stubGlobal("Notification", notification);
  const registration = { pushManager };
  vi.stubGlobal("navigator", {
    ...navigator,
    userAgent: "x",
    serviceWorker: {
      ready: Promise.resolve(registration),
      getRegistration: async () => registration,
    },
  });
  return { isSubscribed: () => subscription !== null };
}

beforeEach(() => localStorage.clear());
afterEach(() => vi.unstubAllGlobals());

it("says why there are none without https", async () => {
  serve();
  vi.stubGlobal("isSecureContext", false);
  renderApp(<Notifications />);
  await screen.findByText(/only over https/);
  expect(screen.queryByRole("switch", { name: "Notifications on this device" })).toBeNull();
});

it("says how a blocked site is allowed again, also when the person has just refused", async () => {
  serve();
  browser("default", "denied");
  renderApp(<Notifications />);
  const user = userEvent.setup();
  await user.click(await screen.findByRole("switch", { name: "Notifications on this device" }));
  await screen.findByText(/are blocked/);
});

it("registers this browser, and removes it at the browser and the server", async () => {
  const { calls } = serve();
  const { isSubscribed } = browser("default");
  renderApp(<Notifications />);
  const user = userEvent.setup();
  const toggle = await screen.findByRole<HTMLInputElement>("switch", {
    name: "Notifications on this device",
  });
  await user.click(toggle);
  await screen.findByText("this device");
  expect(toggle.checked).toBe(true);
  expect(isSubscribed()).toBe(true);
  const posted = calls.find(({ route }) => route === "POST /api/notifications/devices");
  expect(posted?.body).toEqual({
    endpoint: "https://push.example/1",
    keys: { p256dh: "p", auth: "a" },
  });
  await user.click(toggle);
  await waitFor(() => expect(toggle.checked).toBe(false));
  expect(isSubscribed()).toBe(false);
  expect(calls.map(({ route }) => route).at(-1)).toBe("DELETE /api/notifications/devices/d2");
});

it("removes another device, and sends a test", async () => {
  const { calls } = serve();
  browser("granted");
  renderApp(<Notifications />);
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Test: Firefox on Linux" }));
  await screen.findByText("Test sent");
  await user.click(screen.getByRole("button", { name: "Remove: Firefox on Linux" }));
  await screen.findByText(/^No device yet/);
  expect(calls.map(({ route }) => route)).toContain("DELETE /api/notifications/devices/d1");
});

it("sets quiet hours in the time zone of this device", async () => {
  const { calls } = serve();
  browser("granted");
  renderApp(<Notifications />);
  const user = userEvent.setup();
  await user.click(await screen.findByRole("switch", { name: "Quiet hours" }));
  await screen.findByLabelText("From");
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const change = calls.find(({ route }) => route === "PATCH /api/notifications");
  expect(change?.body).toEqual({ quietHours: { from: 1320, to: 420, timeZone } });
});
