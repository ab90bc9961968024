import { t } from "@lingui/core/macro";
import { createStore, useStore } from "@/data/store";
import type { CommandId } from "@/keys/commands";

export interface Toast {
  key: number;
  text: string;
  action?: { label: string; run: () => void; command?: CommandId };
}

/** One at a time: a new one replaces the old. */
const toasts = createStore<Toast | null>(null);
let lastKey = 0;

/** Newest last. */
const undos: (() => void)[] = [];
const maxUndos = 20;

export function useToast(): Toast | null {
  return useStore(toasts, (toast) => toast);
}

export function showToast(text: string, action?: Toast["action"]): void {
  lastKey += 1;
  toasts.set({ key: lastKey, text, ...(action ? { action } : {}) });
}

/** Replaces the text of a toast that is still shown; it keeps its time and its action. */
export function rewordToast(from: string, to: string): void {
  const toast = toasts.get();
  if (toast?.text === from) toasts.set({ ...toast, text: to });
}

export function hideToast(key: number): void {
  if (toasts.get()?.key === key) toasts.set(null);
}

/**
 * Registers how to undo an action (command "undo"), newest first. Returns a function that runs it once; unless the undo
 * shows a toast of its own, a toast confirms it.
 */
export function pushUndo(undo: () => void): () => void {
  const entry = () => {
    if (!removeUndo(entry)) return;
    const before = lastKey;
    undo();
    if (lastKey === before) showToast(t`Undone.`);
  };
  undos.push(entry);
  if (undos.length > maxUndos) undos.shift();
  return entry;
}

function removeUndo(entry: () => void): boolean {
  const at = undos.indexOf(entry);
  if (at >= 0) undos.splice(at, 1);
  return at >= 0;
}

/** Shows a toast that offers to undo an action. Returns a function that withdraws the offer. */
export function showUndo(text: string, undo: () => void, label = t`Undo`): () => void {
  const run = pushUndo(undo);
  showToast(text, { label, run, command: "undo" });
  return () => void removeUndo(run);
}

/** Another person may sign in here: actions of the first one can no longer be undone. */
export function forgetUndos(): void {
  undos.length = 0;
  if (toasts.get()?.action) toasts.set(null);
}

/** Undoes the last action; false when there is none. */
export function undoLast(): boolean {
  const last = undos.at(-1);
  last?.();
  return last !== undefined;
}
