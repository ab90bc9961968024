import { type RefObject, useEffect, useState } from "react";
import { runCommand } from "@/keys/use-command";
import { hasArticleGestures } from "@/ui/touch";

/** The gesture in progress; "ready" when releasing runs it. */
export type Gesture = "none" | `${"back" | "next" | "left" | "right"}${"" | "-ready"}`;

/** Pixels from which on releasing runs a gesture. */
const far = 72;
/** Pixels from the edge: up to the first the system's own gestures, up to the second ours. */
const systemEdge = 24;
const edge = 96;

/**
 * Touch: a swipe from the left edge goes back, others and a pull past the end of the text open the item before or the next
 * one.
 */
export function useGestures(scroller: RefObject<HTMLElement | null>, hasNext: boolean): Gesture {
  const [gesture, setGesture] = useState<Gesture>("none");

  useEffect(() => {
    const view = scroller.current;
    if (!view) return;
    let from: {
      x: number;
      y: number;
      isEdge: boolean;
      isEnd: boolean;
      canSwipe: boolean;
    } | null = null;
    let now: Gesture = "none";
    const show = (next: Gesture) => {
      now = next;
      setGesture(next);
    };
    const onStart = (event: TouchEvent) => {
      const [touch] = event.touches;
      from = null;
      if (!touch || event.touches.length > 1 || !hasArticleGestures()) return;
      const { clientX: x, clientY: y } = touch;
      const isInScroller = (event.target as Element).closest(
        "pre, .table-frame, input, audio, video",
      );
      from = {
        x,
        y,
        isEdge: x >= systemEdge && x <= edge && !isInScroller,
        canSwipe: x >= systemEdge && x <= innerWidth - systemEdge && !isInScroller,
        isEnd: hasNext && view.scrollHeight - view.clientHeight - view.scrollTop < 2,
      };
    };
    const onMove = (event: TouchEvent) => {
      const [touch] = event.touches;
      if (!from || !touch || event.touches.length > 1) return show("none");
      const dx = touch.clientX - from.x;
      const dy = touch.clientY - from.y;
      if (from.isEdge && dx > 16 && dx > 2 * Math.abs(dy)) show(dx >= far ? "back-ready" : "back");
      else if (from.isEnd && -dy > 16 && -dy > 2 * Math.abs(dx))
        show(-dy >= far ? "next-ready" : "next");
      else if (from.canSwipe && Math.abs(dx) > 16 && Math.abs(dx) > 2 * Math.abs(dy))
        show(`${dx < 0 ? "left" : "right"}${Math.abs(dx) >= far ? "-ready" : ""}`);
      else show("none");
    };
    const onEnd = () => {
      if (now === "back-ready") runCommand("back");
      if (now === "next-ready" || now === "left-ready") runCommand("item.next");
      if (now === "right-ready") runCommand("item.previous");
      from = null;
      show("none");
    };
    const onCancel = () => {
      from = null;
      show("none");
    };
    const passive = { passive: true };
    view.addEventListener("touchstart", onStart, passive);
    view.addEventListener("touchmove", onMove, passive);
    view.addEventListener("touchend", onEnd, passive);
    view.addEventListener("touchcancel", onCancel, passive);
    return () => {
      view.removeEventListener("touchstart", onStart);
      view.removeEventListener("touchmove", onMove);
      view.removeEventListener("touchend", onEnd);
      view.removeEventListener("touchcancel", onCancel);
    };
  }, [scroller, hasNext]);

  return gesture;
}
