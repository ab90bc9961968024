import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Suspense, useEffect } from "react";
import { inward } from "@/data/base";
import { onSignedOut } from "@/data/client";
import { wasSignedIn } from "@/data/me";
import { loginPath } from "@/data/routes";
import { navigate, useRoute } from "@/data/use-route";
import { dropEarlyKeys } from "@/keys/held";
import { lazyNamed } from "@/ui/lazy-named";
import { ToastRegion } from "@/ui/toast-region";
import { Deferred } from "./deferred";
import { Frame } from "./frame";
import { PaneBoundary } from "./pane-boundary";

const Login = lazyNamed("Login", () => import("./login"));

export function App({ client }: { client: QueryClient }) {
  return (
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={client}>
        <PaneBoundary>
          <Screens />
        </PaneBoundary>
        <ToastRegion />
        <Deferred />
      </QueryClientProvider>
    </I18nProvider>
  );
}

function Screens() {
  const route = useRoute();

  useEffect(
    () =>
      onSignedOut(() => {
        const path = inward(location.pathname);
        if (path === "/login" || path === "/signup") return;
        // The reason is shown only to people who were signed in.
        const reason = wasSignedIn() ? "not_signed_in" : null;
        navigate(loginPath(path + location.search, reason), { replace: true });
      }),
    [],
  );

  // The frame has adopted them; the other screens have no shortcuts.
  // biome-ignore lint/correctness/useExhaustiveDependencies: on each screen
  useEffect(dropEarlyKeys, [route.screen]);

  if (route.screen === "login") {
    return (
      <Suspense fallback={null}>
        <Login next={route.next} reason={route.reason} />
      </Suspense>
    );
  }
  if (route.screen === "signup") {
    return (
      <Suspense fallback={null}>
        <Login next="/" reason={null} isNew />
      </Suspense>
    );
  }
  return <Frame route={route} />;
}
