import { useIsFetching } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { useAskedToWait } from "@/data/connection";

const Background = lazy(() =>
  import("./background").then(
    (m) => ({ default: m.Background as () => ReactNode }),
    // The network went before it came: one reads on without it.
    () => ({ default: () => null }),
  ),
);

/** What no screen waits for: loaded when everything that was asked for at the start has been quiet for a moment. */
export function Later() {
  // While the server asks for a pause there is time, and the line that says so is among what comes later.
  const isAskedToWait = useAskedToWait();
  const isBusy = useIsFetching() > 0 && !isAskedToWait;
  const [isTime, setTime] = useState(false);

  useEffect(() => {
    if (isBusy) return;
    const timer = setTimeout(() => setTime(true), 800);
    return () => clearTimeout(timer);
  }, [isBusy]);

  return (
    isTime && (
      <Suspense fallback={null}>
        <Background />
      </Suspense>
    )
  );
}
