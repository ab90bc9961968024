import { flushSync } from "react-dom";
import "./view-transition.css";

/** Into an item and back on phones, or another view of the list. */
export type Move = "push" | "pop" | "look";

const still = "(prefers-reduced-motion: reduce)";
/** Input that ends a running animation. */
const inputs = ["pointerdown", "keydown", "wheel"] as const;

let running: ViewTransition | null = null;

export function run(move: Move, update: () => unknown, item: string | null): void {
  if (document.hidden || matchMedia(still).matches) {
    update();
    return;
  }
  running?.skipTransition();
  const root = document.documentElement;
  root.dataset.move = move;
  // The titles of row and article are one element of the animation.
  const row = item && document.querySelector<HTMLElement>(`.row[data-item="${CSS.escape(item)}"]`);
  const name = (isMoving: boolean) => {
    if (row) row.toggleAttribute("data-moving", isMoving);
  };
  name(move === "push");
  const mine = document.startViewTransition(async () => {
    let made: unknown;
    flushSync(() => {
      made = update();
    });
    // history.back() is asynchronous.
    await made;
    flushSync(() => undefined);
    name(move === "pop");
  });
  running = mine;
  const skip = () => mine.skipTransition();
  for (const input of inputs) addEventListener(input, skip, { capture: true, passive: true });
  const end = () => {
    for (const input of inputs) removeEventListener(input, skip, { capture: true });
    name(false);
    if (running !== mine) return;
    running = null;
    delete root.dataset.move;
  };
  // Skipped animations reject.
  mine.ready.catch(() => undefined);
  mine.finished.then(end, end);
}
