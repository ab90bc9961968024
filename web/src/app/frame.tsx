import { useLingui } from "@lingui/react/macro";
import { Suspense, useCallback, useEffect, useState } from "react";
import { useMe } from "@/data/me";
import { useText } from "@/data/preferences";
import { setSettings } from "@/data/settings";
import { closeSide, go, navigate, readerPlace, useSideOpen } from "@/data/use-route";
import { ReaderScreen } from "@/features/reader/reader-screen";
import { HoldKeys } from "@/keys/hold-keys";
import { runCommand, useCommands } from "@/keys/use-command";
import { lazyNamed } from "@/ui/lazy-named";
import { showToast, undoLast } from "@/ui/toasts";
import { phone, useMedia, wide } from "@/ui/use-media";
import { useIsDue } from "./deferred";
import { PaneBoundary } from "./pane-boundary";
import type { FramedRoute } from "./screens";

const AddFeedDialog = lazyNamed(
  "AddFeedDialog",
  () => import("@/features/subscriptions/add-feed-dialog"),
);
const ImportDialog = lazyNamed(
  "ImportDialog",
  () => import("@/features/subscriptions/import-dialog"),
);
const ImportProgress = lazyNamed(
  "ImportProgress",
  () => import("@/features/subscriptions/import-progress"),
);
const Hints = lazyNamed("Hints", () => import("@/features/onboarding/hints"));
const CountsHint = lazyNamed("CountsHint", () => import("@/features/onboarding/counts-hint"));
const HelpDialog = lazyNamed("HelpDialog", () => import("@/features/help/help-dialog"));

const PaletteDialog = lazyNamed("PaletteDialog", () => import("@/features/palette/palette-dialog"));
const FileDrop = lazyNamed("FileDrop", () => import("./file-drop"));
const Screen = lazyNamed("Screen", () => import("./screens"));
const SideBar = lazyNamed("SideBar", () => import("@/features/reader/side/side-bar"));
const TabBar = lazyNamed("TabBar", () => import("@/features/reader/side/tab-bar"));

type Overlay =
  | { kind: "add"; url?: string }
  | { kind: "import"; file?: File | null; id?: string }
  | { kind: "help" }
  | { kind: "palette" }
  | null;

/** App shell: the active screen, global shortcuts, overlays. */
export function Frame({ route }: { route: FramedRoute }) {
  const { t, i18n } = useLingui();
  const [overlay, setOverlay] = useState<Overlay>(null);
  const close = () => setOverlay(null);
  const importFile = (file: File | null) => setOverlay({ kind: "import", file });
  // A long import that this device follows, and the hints of a first run; usually neither.
  const followed = useText("import");
  const hint = useText("hint");

  // Loads settings, folders and the side bar too.
  useMe();
  // index.html collects what is pressed until then.
  const isDue = useIsDue(100);
  useEffect(() => {
    if (!isDue) return;
    let stop = () => {};
    let isGone = false;
    void import("@/keys/keyboard").then(({ listenForKeys }) => {
      if (!isGone) stop = listenForKeys(window, runCommand);
    });
    return () => {
      isGone = true;
      stop();
    };
  }, [isDue]);
  // A shared address, or one from a bookmarklet, opens the dialog over the items.
  const shared = route.screen === "add" ? route.url : null;
  useEffect(() => {
    if (shared === null) return;
    setOverlay({ kind: "add", url: shared });
    navigate("/all", { replace: true });
  }, [shared]);
  useCommands({
    "feed.add": () => setOverlay({ kind: "add" }),
    "watch.add": () => go("/watches/new"),
    help: () => setOverlay({ kind: "help" }),
    palette: () => setOverlay({ kind: "palette" }),
    undo: () => {
      if (!undoLast()) showToast(t`Nothing to undo`);
    },
    theme: () => {
      const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
      void setSettings({ theme }).catch(() => showToast(t`Could not save the theme.`));
    },
    // The side bar has a handler that comes first.
    search: () => go("/search"),
    "go.today": () => go("/"),
    "go.all": () => go("/all"),
    "go.unread": () => go("/all?f=unread"),
    "go.starred": () => go("/starred"),
    "go.popular": () => go("/explore/hot"),
    "go.feeds": () => go("/subscriptions"),
    "go.rules": () => go("/rules"),
    "go.watches": () => go("/watches"),
    "go.stats": () => go("/stats"),
    "go.settings": () => go("/settings"),
    "pins.open": () => void import("./open-pins").then((m) => m.run()),
  });

  const isPhone = useMedia(phone);
  const isWide = useMedia(wide);
  const isSideOpen = useSideOpen() && !isWide;
  // The side bar comes after the first list; on other screens with them.
  const [isListed, setListed] = useState(false);
  const onListed = useCallback(() => setListed(true), []);
  const isReader = route.screen === "reader";
  const hasSide = route.screen !== "welcome";

  return (
    <div
      className="app"
      data-side={isSideOpen ? "open" : undefined}
      data-bare={hasSide ? undefined : ""}
    >
      {hasSide && (
        <>
          <PaneBoundary pane="side">
            <Suspense fallback={<div className="side" />}>
              {isListed || !isReader ? (
                <SideBar
                  route={route}
                  onImport={() => importFile(null)}
                  isScreen={isPhone && isSideOpen}
                />
              ) : (
                <div className="side" />
              )}
            </Suspense>
          </PaneBoundary>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same (command "back") */}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the scrim only takes clicks */}
          <div className="scrim" onClick={closeSide} />
        </>
      )}
      {isReader ? (
        <ReaderScreen
          route={route}
          Boundary={PaneBoundary}
          onImport={() => importFile(null)}
          onListed={onListed}
        />
      ) : (
        <PaneBoundary key={route.screen}>
          <Suspense fallback={<HoldKeys onCancel={() => go(readerPlace())} />}>
            <Screen
              route={route}
              onAdd={(url) => setOverlay({ kind: "add", url })}
              onImport={() => importFile(null)}
            />
          </Suspense>
        </PaneBoundary>
      )}
      {isPhone && hasSide && (isSideOpen || !isReader || route.item === null) && (
        <PaneBoundary>
          <Suspense fallback={<nav className="tabbar" />}>
            <TabBar route={route} isSideOpen={isSideOpen} />
          </Suspense>
        </PaneBoundary>
      )}
      <PaneBoundary onClose={close}>
        <Suspense fallback={<HoldKeys onCancel={close} />}>
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
        {/* Not opened by the person: keys are not held for these. */}
        <Suspense fallback={null}>
          {isDue && <FileDrop onFile={importFile} />}
          {followed && overlay?.kind !== "import" && (
            <ImportProgress id={followed} onOpen={(id) => setOverlay({ kind: "import", id })} />
          )}
          {hint && route.screen === "reader" && <Hints next={hint} item={route.item} />}
          {hint === "" && route.screen === "reader" && i18n.locale === "ja" && <CountsHint />}
        </Suspense>
      </PaneBoundary>
    </div>
  );
}
