import {
  Bell,
  Bookmark,
  BookOpen,
  Braces,
  CircleUser,
  CloudDownload,
  Info,
  Keyboard,
  type LucideIcon,
  MonitorSmartphone,
  Package,
  Palette,
  Rss,
  Server,
  Smartphone,
  SquareTerminal,
  Users,
  Webhook,
} from "lucide-react";
import type { ComponentType } from "react";
import type { settingsPages } from "@/keys/settings-names";
import { lazyNamed } from "@/ui/lazy-named";

interface SectionProps {
  onImport: () => void;
}

interface Section {
  icon: LucideIcon;
  Content: ComponentType<SectionProps>;
}

/** What the pages of settings show; each is loaded separately. */
export const sections: Readonly<Record<(typeof settingsPages)[number]["id"], Section>> = {
  display: {
    icon: Palette,
    Content: lazyNamed("Display", () => import("./display")),
  },
  reading: {
    icon: BookOpen,
    Content: lazyNamed("Reading", () => import("./reading")),
  },
  keys: {
    icon: Keyboard,
    Content: lazyNamed("Keys", () => import("./keys")),
  },
  offline: {
    icon: CloudDownload,
    Content: lazyNamed("Offline", () => import("./offline")),
  },
  notifications: {
    icon: Bell,
    Content: lazyNamed("Notifications", () => import("./notifications")),
  },
  account: {
    icon: CircleUser,
    Content: lazyNamed("Account", () => import("./account")),
  },
  devices: {
    icon: MonitorSmartphone,
    Content: lazyNamed("Devices", () => import("./devices")),
  },
  apps: {
    icon: Smartphone,
    Content: lazyNamed("Apps", () => import("./apps")),
  },
  tokens: {
    icon: SquareTerminal,
    Content: lazyNamed("Tokens", () => import("./tokens")),
  },
  webhooks: {
    icon: Webhook,
    Content: lazyNamed("Webhooks", () => import("./webhooks")),
  },
  shares: {
    icon: Rss,
    Content: lazyNamed("Shares", () => import("./shares")),
  },
  server: {
    icon: Server,
    Content: lazyNamed("Server", () => import("./server/server")),
  },
  people: {
    icon: Users,
    Content: lazyNamed("People", () => import("./people")),
  },
  popularity: {
    icon: Bookmark,
    Content: lazyNamed("Popularity", () => import("./popularity")),
  },
  adapters: {
    icon: Braces,
    Content: lazyNamed("Adapters", () => import("./adapters")),
  },
  data: {
    icon: Package,
    Content: lazyNamed("OwnData", () => import("./own-data")),
  },
  about: {
    icon: Info,
    Content: lazyNamed("About", () => import("./about")),
  },
};
