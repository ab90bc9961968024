import { lazy } from "react";
import type { Route } from "@/data/routes";
import { lazyNamed } from "@/ui/lazy-named";

const WelcomeScreen = lazyNamed(
  "WelcomeScreen",
  () => import("@/features/onboarding/welcome-screen"),
);
const SettingsScreen = lazy(() => import("@/features/settings/load").then((m) => m.load()));
const RulesScreen = lazyNamed("RulesScreen", () => import("@/features/rules/rules-screen"));
const SubscriptionsScreen = lazyNamed(
  "SubscriptionsScreen",
  () => import("@/features/manage/subscriptions-screen"),
);
const NotFound = lazyNamed("NotFound", () => import("@/app/not-found"));
const WatchesScreen = lazy(() => import("@/features/watches/load").then((m) => m.load()));

/** The content of the frame. */
export type FramedRoute = Exclude<Route, { screen: "login" | "signup" }>;

interface Props {
  route: Exclude<FramedRoute, { screen: "reader" }>;
  onAdd: (url: string) => void;
  onImport: () => void;
}

/** The screens besides the reader. */
export function Screen({ route, onAdd, onImport }: Props) {
  switch (route.screen) {
    case "settings":
      return <SettingsScreen section={route.section} onImport={onImport} />;
    case "rules":
      return <RulesScreen />;
    case "subscriptions":
      return <SubscriptionsScreen feed={route.feed} />;
    case "watches":
      return <WatchesScreen />;
    case "welcome":
      return <WelcomeScreen onAdd={onAdd} onImport={onImport} />;
    case "missing":
      return <NotFound />;
    default:
      return null;
  }
}
