import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import {
  BookOpen,
  CircleUser,
  CloudDownload,
  Info,
  Keyboard,
  type LucideIcon,
  MonitorSmartphone,
  Package,
  Palette,
  SquareTerminal,
  Users,
  Webhook,
} from "lucide-react";
import { type ComponentType, lazy } from "react";

export interface SectionProps {
  onImport: () => void;
}

export interface Section {
  /** Its place in the address: /settings/ID. */
  id: string;
  label: MessageDescriptor;
  icon: LucideIcon;
  Content: ComponentType<SectionProps>;
  /** Nobody else sees it. */
  isOwners?: boolean;
}

/** In the order of the list. Each is a chunk of its own. */
export const sections: readonly Section[] = [
  {
    id: "display",
    label: msg`Display`,
    icon: Palette,
    Content: lazy(() => import("./display").then((m) => ({ default: m.Display }))),
  },
  {
    id: "reading",
    label: msg`Reading`,
    icon: BookOpen,
    Content: lazy(() => import("./reading").then((m) => ({ default: m.Reading }))),
  },
  {
    id: "keys",
    label: msg`Keys`,
    icon: Keyboard,
    Content: lazy(() => import("./keys").then((m) => ({ default: m.Keys }))),
  },
  {
    id: "offline",
    label: msg`Offline`,
    icon: CloudDownload,
    Content: lazy(() => import("./offline").then((m) => ({ default: m.Offline }))),
  },
  {
    id: "account",
    label: msg`Account`,
    icon: CircleUser,
    Content: lazy(() => import("./account").then((m) => ({ default: m.Account }))),
  },
  {
    id: "devices",
    label: msg`Devices`,
    icon: MonitorSmartphone,
    Content: lazy(() => import("./devices").then((m) => ({ default: m.Devices }))),
  },
  {
    id: "tokens",
    label: msg`Programs`,
    icon: SquareTerminal,
    Content: lazy(() => import("./tokens").then((m) => ({ default: m.Tokens }))),
  },
  {
    id: "webhooks",
    label: msg`Webhooks`,
    icon: Webhook,
    Content: lazy(() => import("./webhooks").then((m) => ({ default: m.Webhooks }))),
  },
  {
    id: "people",
    label: msg`People`,
    icon: Users,
    Content: lazy(() => import("./people").then((m) => ({ default: m.People }))),
    isOwners: true,
  },
  {
    id: "data",
    label: msg`Import and export`,
    icon: Package,
    Content: lazy(() => import("./own-data").then((m) => ({ default: m.OwnData }))),
  },
  {
    id: "about",
    label: msg`About`,
    icon: Info,
    Content: lazy(() => import("./about").then((m) => ({ default: m.About }))),
  },
];
