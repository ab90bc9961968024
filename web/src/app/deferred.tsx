import { useIsFetching } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { useIsDelayed } from "@/data/connection";

const Background = lazy(() =>
  import("./background").then(
    (m) => ({ default: m.Background as () => ReactNode }),
    // Offline before it was loaded: reading works without it.
    () => ({ default: () => null }),
  ),
);

/** Parts that no screen waits for: loaded when the first requests have been answered. */
export function Deferred() {
  // While the server delays requests there is time, and the bar that says so is one of these parts.
  const isDelayed = useIsDelayed();
  const isBusy = useIsFetching() > 0 && !isDelayed;
  const [isDue, setDue] = useState(false);

  useEffect(() => {
    if (isBusy) return;
    const timer = setTimeout(() => setDue(true), 800);
    return () => clearTimeout(timer);
  }, [isBusy]);

  return (
    isDue && (
      <Suspense fallback={null}>
        <Background />
      </Suspense>
    )
  );
}
