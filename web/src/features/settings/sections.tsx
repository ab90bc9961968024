import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import {
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
  Smartphone,
  SquareTerminal,
  Users,
  Webhook,
} from "lucide-react";
import type { ComponentType } from "react";
import { lazyNamed } from "@/ui/lazy-named";

interface SectionProps {
  onImport: () => void;
}

interface Section {
  /** Part of the address: /settings/ID. */
  id: string;
  label: MessageDescriptor;
  icon: LucideIcon;
  Content: ComponentType<SectionProps>;
  /** For the owner only. */
  isOwners?: boolean;
}

/** In the order of the list; each is loaded separately. */
export const sections: readonly Section[] = [
  {
    id: "display",
    label: msg`Display`,
    icon: Palette,
    Content: lazyNamed("Display", () => import("./display")),
  },
  {
    id: "reading",
    label: msg`Reading`,
    icon: BookOpen,
    Content: lazyNamed("Reading", () => import("./reading")),
  },
  {
    id: "keys",
    label: msg`Keys`,
    icon: Keyboard,
    Content: lazyNamed("Keys", () => import("./keys")),
  },
  {
    id: "offline",
    label: msg`Offline`,
    icon: CloudDownload,
    Content: lazyNamed("Offline", () => import("./offline")),
  },
  {
    id: "account",
    label: msg`Account`,
    icon: CircleUser,
    Content: lazyNamed("Account", () => import("./account")),
  },
  {
    id: "devices",
    label: msg`Devices`,
    icon: MonitorSmartphone,
    Content: lazyNamed("Devices", () => import("./devices")),
  },
  {
    id: "apps",
    label: msg`Apps`,
    icon: Smartphone,
    Content: lazyNamed("Apps", () => import("./apps")),
  },
  {
    id: "tokens",
    label: msg`API tokens`,
    icon: SquareTerminal,
    Content: lazyNamed("Tokens", () => import("./tokens")),
  },
  {
    id: "webhooks",
    label: msg`Webhooks`,
    icon: Webhook,
    Content: lazyNamed("Webhooks", () => import("./webhooks")),
  },
  {
    id: "people",
    label: msg`People`,
    icon: Users,
    Content: lazyNamed("People", () => import("./people")),
    isOwners: true,
  },
  {
    id: "popularity",
    label: msg`Bookmark counts`,
    icon: Bookmark,
    Content: lazyNamed("Popularity", () => import("./popularity")),
    isOwners: true,
  },
  {
    id: "adapters",
    label: msg`Adapters`,
    icon: Braces,
    Content: lazyNamed("Adapters", () => import("./adapters")),
    isOwners: true,
  },
  {
    id: "data",
    label: msg`Import and export`,
    icon: Package,
    Content: lazyNamed("OwnData", () => import("./own-data")),
  },
  {
    id: "about",
    label: msg`About`,
    icon: Info,
    Content: lazyNamed("About", () => import("./about")),
  },
];
