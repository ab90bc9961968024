import { Suspense, useCallback, useEffect, useState } from "react";
import { isPlaying } from "@/data/is-playing";
import { useMe } from "@/data/me";
import { useStore } from "@/data/store";
import { closeSide, go, navigate, readerPlace, useListRoute, useSideOpen } from "@/data/use-route";
import { ReaderScreen } from "@/features/reader/reader-screen";
import { HoldKeys } from "@/keys/hold-keys";
import { lazyNamed } from "@/ui/lazy-named";
import { Logo } from "@/ui/logo";
import { phone, useMedia, wide } from "@/ui/use-media";
import { Extras, type Overlay } from "./extras";
import { PaneBoundary } from "./pane-boundary";
import type { FramedRoute } from "./screens";

const Screen = lazyNamed("Screen", () => import("./screens"));
const SideBar = lazyNamed("SideBar", () => import("@/features/reader/side/side-bar"));
const MiniPlayer = lazyNamed("MiniPlayer", () => import("@/features/reader/mini-player"));
const FirstSteps = lazyNamed("FirstSteps", () => import("@/features/onboarding/first-steps"));
const TabBar = lazyNamed("TabBar", () => import("@/features/reader/side/tab-bar"));

/** As in the first frame. */
const sideName = (
  <div className="side">
    <header>
      <Logo size={24} />
      <span>Ruri</span>
    </header>
  </div>
);

/** Until the side bar of a phone is loaded after what is shown, in ms. */
const sideDelay = 1_000;

/** App shell: the active screen, global shortcuts, overlays. */
export function Frame({ route }: { route: FramedRoute }) {
  const [overlay, setOverlay] = useState<Overlay>(null);
  const close = () => setOverlay(null);
  const onImport = useCallback(() => setOverlay({ kind: "import", file: null }), []);
  const listRoute = useListRoute(route);
  // Loads settings, folders and the side bar too.
  useMe();
  // A shared address, or one from a bookmarklet, opens the dialog over the items.
  const shared = route.screen === "add" ? route.url : null;
  useEffect(() => {
    if (shared === null) return;
    setOverlay({ kind: "add", url: shared });
    navigate("/all", { replace: true });
  }, [shared]);
  const isPhone = useMedia(phone);
  const isWide = useMedia(wide);
  const isSideOpen = useSideOpen() && !isWide;
  const [isListed, setListed] = useState(false);
  const onListed = useCallback(() => setListed(true), []);
  const plays = useStore(isPlaying, (is) => is);
  const isReader = route.screen === "reader";
  const hasSide = route.screen !== "welcome";
  // The side bar comes after the first list; on other screens with them. A phone shows nothing of it until it is opened.
  const isDue = isListed || !isReader;
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = isDue && setTimeout(() => setLate(true), sideDelay);
    return () => void (timer && clearTimeout(timer));
  }, [isDue]);

  return (
    <div
      className="app"
      data-side={isSideOpen ? "open" : undefined}
      data-bare={hasSide ? undefined : ""}
    >
      {hasSide && (
        <>
          <PaneBoundary pane="side">
            <Suspense fallback={sideName}>
              {(isPhone ? isLate || isSideOpen : isDue) ? (
                <SideBar route={listRoute} onImport={onImport} isScreen={isPhone && isSideOpen} />
              ) : (
                sideName
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
          firstSteps={<FirstSteps onImport={onImport} />}
          onImport={onImport}
          onListed={onListed}
        />
      ) : (
        <PaneBoundary key={route.screen}>
          <Suspense fallback={<HoldKeys onCancel={() => go(readerPlace())} />}>
            <Screen
              route={route}
              onAdd={(url) => setOverlay({ kind: "add", url })}
              onImport={onImport}
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
      {plays && (
        <PaneBoundary>
          <Suspense fallback={null}>
            <MiniPlayer />
          </Suspense>
        </PaneBoundary>
      )}
      <PaneBoundary onClose={close}>
        <Extras route={route} overlay={overlay} onOverlay={setOverlay} />
      </PaneBoundary>
    </div>
  );
}
