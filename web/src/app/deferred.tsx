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

/** Whether the first requests were answered so many milliseconds ago. */
export function useIsDue(after: number): boolean {
  // While the server delays requests there is time, and the bar that says so is among what is deferred.
  const isDelayed = useIsDelayed();
  const isBusy = useIsFetching() > 0 && !isDelayed;
  const [isDue, setDue] = useState(false);

  useEffect(() => {
    if (isBusy) return;
    const timer = setTimeout(() => setDue(true), after);
    return () => clearTimeout(timer);
  }, [isBusy, after]);
  return isDue;
}

/** What no screen waits for. */
export function Deferred() {
  return (
    useIsDue(800) && (
      <Suspense fallback={null}>
        <Background />
      </Suspense>
    )
  );
}
