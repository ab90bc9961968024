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

/**
 * The pages of settings (/settings/ID) with their groups, as the settings and the palette show them; the palette
 * finds them by what is on them too. Server is for the owner.
 */
export const settingsPages = [
  {
    id: "display",
    group: "reading",
    label: msg`Display`,
    words: msg`theme dark light night mode language density sort order font text size appearance`,
  },
  {
    id: "reading",
    group: "reading",
    label: msg`Reading`,
    words: msg`mark as read scroll swipe gestures kana images pictures`,
  },
  {
    id: "keys",
    group: "reading",
    label: msg`Keys`,
    words: msg`keyboard shortcuts Livedoor`,
  },
  {
    id: "offline",
    group: "device",
    label: msg`Offline`,
    words: msg`download storage app icon badge`,
  },
  {
    id: "notifications",
    group: "device",
    label: msg`Notifications`,
    words: msg`push alerts bell quiet hours devices`,
  },
  {
    id: "about",
    group: "device",
    label: msg`About`,
    words: msg`version`,
  },
  {
    id: "account",
    group: "account",
    label: msg`Account`,
    words: msg`password email passkey sign-in profile delete account`,
  },
  {
    id: "devices",
    group: "account",
    label: msg`Devices`,
    words: msg`sessions sign out log out`,
  },
  {
    id: "data",
    group: "account",
    label: msg`Import and export`,
    words: msg`OPML archive backup download starred move`,
  },
  {
    id: "apps",
    group: "apps",
    label: msg`Apps`,
    words: msg`Fever Google Reader app passwords phone`,
  },
  {
    id: "tokens",
    group: "apps",
    label: msg`API tokens`,
    words: msg`API programs`,
  },
  {
    id: "webhooks",
    group: "apps",
    label: msg`Webhooks`,
    words: msg`ntfy Telegram Slack Discord`,
  },
  {
    id: "shares",
    group: "apps",
    label: msg`Shared lists`,
    words: msg`public feed Atom JSON Feed address starred label folder`,
  },
  {
    id: "server",
    group: "server",
    label: msg`Status and cost`,
    words: msg`statistics bill money write units runs dead letters backups`,
  },
  {
    id: "people",
    group: "server",
    label: msg`People`,
    words: msg`invitations sign-up`,
  },
  {
    id: "popularity",
    group: "server",
    label: msg`Bookmark counts`,
    words: msg`Hatena Hacker News popular`,
  },
  {
    id: "adapters",
    group: "server",
    label: msg`Adapters`,
    words: msg`watches pages`,
  },
] as const satisfies readonly {
  id: string;
  group: SettingsGroup;
  label: MessageDescriptor;
  words: MessageDescriptor;
}[];
