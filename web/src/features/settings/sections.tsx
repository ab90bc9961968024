import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { BookOpen, Info, Keyboard, type LucideIcon, Package, Palette } from "lucide-react";
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
