import { useLingui } from "@lingui/react/macro";
import { lazy, Suspense, useEffect, useState } from "react";
import { useMe } from "@/data/me";
import { useText } from "@/data/preferences";
import type { Route } from "@/data/routes";
import { setSettings } from "@/data/settings";
import { go, navigate, readerPlace } from "@/data/use-route";
import { ReaderScreen } from "@/features/reader/reader-screen";
import { listenForKeys } from "@/keys/keyboard";
import { KeysWait } from "@/keys/keys-wait";
import { runCommand, useCommands } from "@/keys/use-command";
import { showToast, undoLast } from "@/ui/toasts";
import { FileDrop } from "./file-drop";
import { Missing } from "./missing";
import { PaneBoundary } from "./pane-boundary";

const AddFeedDialog = lazy(() =>
  import("@/features/subscriptions/add-feed-dialog").then((m) => ({ default: m.AddFeedDialog })),
);
const ImportDialog = lazy(() =>
  import("@/features/subscriptions/import-dialog").then((m) => ({ default: m.ImportDialog })),
);
const ImportProgress = lazy(() =>
  import("@/features/subscriptions/import-progress").then((m) => ({ default: m.ImportProgress })),
);
const WelcomeScreen = lazy(() =>
  import("@/features/onboarding/welcome-screen").then((m) => ({ default: m.WelcomeScreen })),
);
const Hints = lazy(() => import("@/features/onboarding/hints").then((m) => ({ default: m.Hints })));
const HelpDialog = lazy(() =>
  import("@/features/help/help-dialog").then((m) => ({ default: m.HelpDialog })),
);

const SettingsScreen = lazy(() => import("@/features/settings/load").then((m) => m.load()));
const PaletteDialog = lazy(() =>
  import("@/features/palette/palette-dialog").then((m) => ({ default: m.PaletteDialog })),
);
const StatsScreen = lazy(() =>
  import("@/features/stats/stats-screen").then((m) => ({ default: m.StatsScreen })),
);
const RulesScreen = lazy(() =>
  import("@/features/rules/rules-screen").then((m) => ({ default: m.RulesScreen })),
);
const SubscriptionsScreen = lazy(() =>
  import("@/features/manage/subscriptions-screen").then((m) => ({
    default: m.SubscriptionsScreen,
  })),
);

type FramedRoute = Exclude<Route, { screen: "login" | "signup" | "home" | "missing" }>;
type Overlay =
  | { kind: "add"; url?: string }
  | { kind: "import"; file?: File | null; id?: string }
  | { kind: "help" }
  | { kind: "palette" }
  | null;

/** Holds the reader or the figures, the keys and whatever opens above them. */
export function Frame({ route }: { route: FramedRoute }) {
  const { t } = useLingui();
  const [overlay, setOverlay] = useState<Overlay>(null);
  const close = () => setOverlay(null);
  const importFile = (file: File | null) => setOverlay({ kind: "import", file });
  // A long import that this device follows, and the hints of a first run: nearly always there is neither.
  const followed = useText("import");
  const hint = useText("hint");

  // With it come the settings, the folders and the side bar.
  useMe();
  useEffect(() => listenForKeys(window, runCommand), []);
  // An address that was shared with us, or sent by a bookmarklet: the dialog opens over the items.
  const shared = route.screen === "add" ? route.url : null;
  useEffect(() => {
    if (shared === null) return;
    setOverlay({ kind: "add", url: shared });
    navigate("/all", { replace: true });
  }, [shared]);
  useCommands({
    "feed.add": () => setOverlay({ kind: "add" }),
    help: () => setOverlay({ kind: "help" }),
    palette: () => setOverlay({ kind: "palette" }),
    undo: () => {
      if (!undoLast()) showToast(t`There is nothing to undo.`);
    },
    theme: () => {
      const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
      void setSettings({ theme }).catch(() => showToast(t`The theme could not be saved.`));
    },
    "go.all": () => go("/all"),
    "go.unread": () => go("/all?f=unread"),
    "go.starred": () => go("/starred"),
    "go.feeds": () => go("/subscriptions"),
    "go.stats": () => go("/stats"),
    "go.settings": () => go("/settings"),
    "pins.open": () => void import("./open-pins").then((m) => m.run()),
  });

  return (
    <>
      {route.screen === "reader" ? (
        <ReaderScreen route={route} Boundary={PaneBoundary} onImport={() => importFile(null)} />
      ) : (
        <PaneBoundary key={route.screen}>
          <Suspense fallback={<KeysWait onCancel={() => go(readerPlace())} />}>
            <Screen
              route={route}
              onAdd={(url) => setOverlay({ kind: "add", url })}
              onImport={() => importFile(null)}
            />
          </Suspense>
        </PaneBoundary>
      )}
      <FileDrop onFile={importFile} />
      <PaneBoundary onClose={close}>
        <Suspense fallback={<KeysWait onCancel={close} />}>
          {overlay?.kind === "add" && (
            <AddFeedDialog
              {...overlay}
              onClose={close}
              onImport={() => importFile(null)}
              {...(route.screen === "welcome" ? { onAdded: () => undefined } : {})}
            />
          )}
          {overlay?.kind === "import" && <ImportDialog {...overlay} onClose={close} />}
          {overlay?.kind === "palette" && <PaletteDialog onClose={close} />}
          {overlay?.kind === "help" && <HelpDialog onClose={close} />}
        </Suspense>
        {/* Nobody opened these: keys do not wait for them. */}
        <Suspense fallback={null}>
          {followed && overlay?.kind !== "import" && (
            <ImportProgress id={followed} onOpen={(id) => setOverlay({ kind: "import", id })} />
          )}
          {hint && route.screen === "reader" && <Hints next={hint} item={route.item} />}
        </Suspense>
      </PaneBoundary>
    </>
  );
}

interface ScreenProps {
  route: Exclude<FramedRoute, { screen: "reader" }>;
  onAdd: (url: string) => void;
  onImport: () => void;
}

/** The screens beside the reader. */
function Screen({ route, onAdd, onImport }: ScreenProps) {
  switch (route.screen) {
    case "settings":
      return <SettingsScreen section={route.section} onImport={onImport} />;
    case "stats":
      return <StatsScreen />;
    case "rules":
      return <RulesScreen />;
    case "subscriptions":
      return <SubscriptionsScreen feed={route.feed} />;
    case "welcome":
      return <WelcomeScreen onAdd={onAdd} onImport={onImport} />;
    default:
      return <Missing />;
  }
}
