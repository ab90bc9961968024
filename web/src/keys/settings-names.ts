import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

type SettingsGroup = "reading" | "device" | "account" | "apps" | "server";

export const settingsGroups: readonly (readonly [SettingsGroup, MessageDescriptor])[] = [
  ["reading", msg`Reading`],
  ["device", msg`This device`],
  ["account", msg`Account`],
  ["apps", msg`Apps and API`],
  ["server", msg`Server`],
];

/** The pages of settings (/settings/ID) with their groups, as the settings and the palette show them. Server is for the owner. */
export const settingsPages = [
  { id: "display", group: "reading", label: msg`Display` },
  { id: "reading", group: "reading", label: msg`Reading` },
  { id: "keys", group: "reading", label: msg`Keys` },
  { id: "offline", group: "device", label: msg`Offline` },
  { id: "about", group: "device", label: msg`About` },
  { id: "account", group: "account", label: msg`Account` },
  { id: "devices", group: "account", label: msg`Devices` },
  { id: "data", group: "account", label: msg`Import and export` },
  { id: "apps", group: "apps", label: msg`Apps` },
  { id: "tokens", group: "apps", label: msg`API tokens` },
  { id: "webhooks", group: "apps", label: msg`Webhooks` },
  { id: "server", group: "server", label: msg`Status and cost` },
  { id: "people", group: "server", label: msg`People` },
  { id: "popularity", group: "server", label: msg`Bookmark counts` },
  { id: "adapters", group: "server", label: msg`Adapters` },
] as const satisfies readonly { id: string; group: SettingsGroup; label: MessageDescriptor }[];
