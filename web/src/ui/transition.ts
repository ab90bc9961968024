import type { Move } from "./view-transition";

type Run = (move: Move, update: () => unknown, item: string | null) => void;

let run: Run | null = null;

/** To be called after the first paint; until then changes are not animated. */
export function loadTransitions(): void {
  if (run || !("startViewTransition" in document)) return;
  void import("./view-transition").then((m) => {
    run = m.run;
  }, String);
}

/** Makes a change, animated where possible; with an item, its title moves along. */
export function transition(move: Move, update: () => unknown, item: string | null = null): void {
  if (run) run(move, update, item);
  else update();
}
