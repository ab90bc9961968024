import { Trans } from "@lingui/react/macro";
import { ArrowDown, ArrowLeft, ArrowRight, ChevronLeft } from "lucide-react";
import type { Gesture } from "./use-gestures";

/** Shows during a gesture what releasing it does. */
export function GestureMark({ gesture }: { gesture: Gesture }) {
  if (gesture === "none") return null;
  const isReady = gesture.endsWith("ready");
  const [way = ""] = gesture.split("-");
  return way !== "next" ? (
    <div
      className="gesture"
      data-side={way === "left" ? "right" : "start"}
      data-ready={isReady}
      aria-hidden="true"
    >
      {way === "back" ? <ChevronLeft /> : way === "left" ? <ArrowRight /> : <ArrowLeft />}
    </div>
  ) : (
    <div className="gesture" data-side="end" data-ready={isReady} aria-hidden="true">
      <ArrowDown />
      {isReady ? <Trans>Release for next article</Trans> : <Trans>Pull for next article</Trans>}
    </div>
  );
}
