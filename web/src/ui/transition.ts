/** What changes before one's eyes: into an item and back where there is one pane, or from list to cards. */
export type Move = "push" | "pop" | "look";

type Run = (move: Move, update: () => unknown, item: string | null) => void;

let run: Run | null = null;

/** To be called after the first paint: until then, and where nothing is to move, changes are just made. */
export function loadTransitions(): void {
  if (run || !("startViewTransition" in document)) return;
  void import("./view-transition").then((m) => {
    run = m.run;
  }, String);
}

/** Makes a change, shown as a movement where that is wanted; of an item, when its title goes along. */
export function transition(move: Move, update: () => unknown, item: string | null = null): void {
  if (run) run(move, update, item);
  else update();
}
