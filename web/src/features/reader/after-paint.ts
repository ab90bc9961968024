const due = new Set<() => void>();

/** Runs all that waits for a paint, before an action that depends on it. */
export function runDue(): void {
  for (const run of due) run();
}

/**
 * Runs once the next frame has been painted, so that it does not delay what a key shows; at once where nothing is painted.
 * Returns a function that runs it at once if it still waits, for a component that unmounts.
 */
export function afterPaint(work: () => void): () => void {
  const run = () => {
    if (!due.delete(run)) return;
    cancelAnimationFrame(frame);
    work();
  };
  due.add(run);
  const frame = requestAnimationFrame(() => setTimeout(run));
  if (document.hidden) run();
  return run;
}
