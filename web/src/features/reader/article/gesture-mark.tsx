import { Trans } from "@lingui/react/macro";
import { ArrowDown, ChevronLeft } from "lucide-react";
import type { Gesture } from "./use-gestures";

/** Says while the finger is down what letting go will do; the buttons say it to everybody else. */
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
      {isReady ? <Trans>Let go for the next item</Trans> : <Trans>Pull for the next item</Trans>}
    </div>
  );
}
