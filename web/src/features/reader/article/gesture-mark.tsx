import { Trans } from "@lingui/react/macro";
import { ArrowDown, ChevronLeft } from "lucide-react";
import type { Gesture } from "./use-gestures";

/** Shows during a gesture what releasing it does. */
export function GestureMark({ gesture }: { gesture: Gesture }) {
  if (gesture === "none") return null;
  const isReady = gesture.endsWith("ready");
  return gesture.startsWith("back") ? (
    <div className="gesture" data-side="start" data-ready={isReady} aria-hidden="true">
      <ChevronLeft />
    </div>
  ) : (
    <div className="gesture" data-side="end" data-ready={isReady} aria-hidden="true">
      <ArrowDown />
      {isReady ? <Trans>Release for next article</Trans> : <Trans>Pull for next article</Trans>}
    </div>
  );
}
