import type { Draft } from "./draft";

/** The rule that was left without saving, until it is brought back. */
let dropped: Draft | null = null;

export function dropDraft(draft: Draft): void {
  dropped = draft;
}

/** For the form of the same rule; the empty id is that of a new one. */
export function takeDropped(id: string): Draft | null {
  if (dropped?.id !== id) return null;
  const draft = dropped;
  dropped = null;
  return draft;
}
