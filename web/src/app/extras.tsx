import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Suspense, useEffect } from "react";
import { useMe } from "@/data/me";
import { useText } from "@/data/preferences";
import { pushDevice } from "@/data/push-device";
import { sending } from "@/data/sending";
import { setSettings } from "@/data/settings";
import { useStore } from "@/data/store";
import { go } from "@/data/use-route";
import { HoldKeys } from "@/keys/hold-keys";
import { listenForKeys } from "@/keys/keyboard";
import { runCommand, useCommands } from "@/keys/use-command";
import { lazyNamed } from "@/ui/lazy-named";
import { showToast, undoLast } from "@/ui/toasts";
import { FileDrop } from "./file-drop";
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
const AppBadge = lazyNamed("AppBadge", () => import("./app-badge"));
const HelpDialog = lazyNamed("HelpDialog", () => import("@/features/help/help-dialog"));

const SendDialog = lazyNamed("SendDialog", () => import("@/features/reader/send-dialog"));
const PaletteDialog = lazyNamed("PaletteDialog", () => import("@/features/palette/palette-dialog"));
export type Overlay =
  | { kind: "add"; url?: string }
  | { kind: "import"; file?: File | null; id?: string }
  | { kind: "help" }
  | { kind: "palette" }
  | null;

interface Props {
  route: FramedRoute;
  overlay: Overlay;
  onOverlay: (overlay: Overlay) => void;
}

/** The keys, commands and dialogs that every screen has. */
export function Extras({ route, overlay, onOverlay }: Props) {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const me = useMe().data;
  const close = () => onOverlay(null);
  const importFile = (file: File | null) => onOverlay({ kind: "import", file });
  // A long import that this device follows, and the hints of a first run; usually neither.
  const followed = useText("import");
  const hint = useText("hint");
  const sent = useStore(sending, (item) => item);
  const hasBadge = useText("badge") === "on";

  useEffect(() => listenForKeys(window, runCommand), []);
  useEffect(() => {
    if (pushDevice() !== null) void import("@/data/push").then((push) => push.renewPush(client));
  }, [client]);
  useCommands({
    "feed.add": () => onOverlay({ kind: "add" }),
    "watch.add": () => go("/watches/new"),
    help: () => onOverlay({ kind: "help" }),
    palette: () => onOverlay({ kind: "palette" }),
    undo: () => {
      if (!undoLast()) showToast(t`Nothing to undo`);
    },
    theme: () => {
      const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
      void setSettings({ theme }).catch(() => showToast(t`Could not save the theme.`));
    },
    search: () => go("/search"),
    "go.today": () => go("/"),
    "go.all": () => go("/all"),
    "go.unread": () => go("/all?f=unread"),
    "go.starred": () => go("/starred"),
    "go.recent": () => go("/recent"),
    "go.popular": () => go("/my/popular/hot"),
    "go.feeds": () => go("/subscriptions"),
    "go.rules": () => go("/rules"),
    "go.watches": () => go("/watches"),
    "go.stats": () => (me?.user.isOwner ? go("/settings/server") : false),
    "go.settings": () => go("/settings"),
    "pins.open": () => void import("./open-pins").then((m) => m.run()),
  });

  return (
    <>
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
        {sent && <SendDialog item={sent} />}
        {overlay?.kind === "help" && <HelpDialog onClose={close} />}
      </Suspense>
      {/* Not opened by the person: keys are not held for these. */}
      <Suspense fallback={null}>
        <FileDrop onFile={importFile} />
        {hasBadge && <AppBadge />}
        {followed && overlay?.kind !== "import" && (
          <ImportProgress id={followed} onOpen={(id) => onOverlay({ kind: "import", id })} />
        )}
        {hint && route.screen === "reader" && <Hints next={hint} item={route.item} />}
        {hint === "" && route.screen === "reader" && i18n.locale === "ja" && <CountsHint />}
      </Suspense>
    </>
  );
}
