import type { Draft } from "./draft";

/** The last rule that was left without saving. */
let unsaved: Draft | null = null;

export function keepUnsaved(draft: Draft): void {
  unsaved = draft;
}

/** For the form of the same rule; the empty id is that of a new one. */
export function takeUnsaved(id: string): Draft | null {
  if (unsaved?.id !== id) return null;
  const draft = unsaved;
  unsaved = null;
  return draft;
}
