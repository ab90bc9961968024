import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { lazy, Suspense, useEffect } from "react";
import { listenForSignOut } from "@/data/client";
import { wasSignedIn } from "@/data/me";
import { loginPath } from "@/data/routes";
import { navigate, useRoute } from "@/data/use-route";
import type { LoginProps } from "@/features/auth/login-screen";
import { dropEarlyKeys } from "@/keys/held";
import { ToastPlace } from "@/ui/toast-place";
import { Frame } from "./frame";
import { Later } from "./later";
import { Missing } from "./missing";
import { PaneBoundary } from "./pane-boundary";

// The screen comes with what it offers, so that nothing moves when the answer is there.
const LoginScreen = lazy(async () => {
  const [{ LoginScreen: Screen }, ways] = await Promise.all([
    import("@/features/auth/login-screen"),
    import("@/data/sign-in").then((m) => m.signInMethods()),
  ]);
  return { default: (props: LoginProps) => <Screen {...props} ways={ways} /> };
});

export function App({ client }: { client: QueryClient }) {
  return (
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={client}>
        <PaneBoundary>
          <Screens />
        </PaneBoundary>
        <ToastPlace />
        <Later />
      </QueryClientProvider>
    </I18nProvider>
  );
}

function Screens() {
  const route = useRoute();

  useEffect(
    () =>
      listenForSignOut(() => {
        if (location.pathname === "/login" || location.pathname === "/signup") return;
        // It is told only to whom it happened.
        const reason = wasSignedIn() ? "not_signed_in" : null;
        navigate(loginPath(location.pathname + location.search, reason), { replace: true });
      }),
    [],
  );

  useEffect(() => {
    if (route.screen === "home") navigate("/all", { replace: true });
    // The frame has taken them; the other screens have nothing for keys.
    else dropEarlyKeys();
  }, [route.screen]);

  if (route.screen === "login") {
    return (
      <Suspense fallback={null}>
        <LoginScreen next={route.next} reason={route.reason} />
      </Suspense>
    );
  }
  if (route.screen === "signup") {
    return (
      <Suspense fallback={null}>
        <LoginScreen next="/" reason={null} isNew />
      </Suspense>
    );
  }
  if (route.screen === "missing") return <Missing />;
  if (route.screen === "home") return null;
  return <Frame route={route} />;
}
