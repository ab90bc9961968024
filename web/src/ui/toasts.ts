import { t } from "@lingui/core/macro";
import { useSyncExternalStore } from "react";
import type { CommandId } from "@/keys/commands";

export interface Toast {
  key: number;
  text: string;
  action?: { label: string; run: () => void; command?: CommandId };
}

let current: Toast | null = null;
let serial = 0;
const listeners = new Set<() => void>();
const undos: (() => void)[] = [];
const keptUndos = 20;

function tell(): void {
  for (const listener of listeners) listener();
}

/** One at a time: a new one takes the place of the old. */
export function showToast(text: string, action?: Toast["action"]): void {
  serial += 1;
  current = action ? { key: serial, text, action } : { key: serial, text };
  tell();
}

/** Other words for what a toast says, where it is still to be read: it keeps its time and its action. */
export function rewordToast(from: string, to: string): void {
  if (current?.text !== from) return;
  current = { ...current, text: to };
  tell();
}

export function hideToast(key: number): void {
  if (current?.key !== key) return;
  current = null;
  tell();
}

/**
 * Remembers how a deed is taken back by `z`: newest first, up to twenty deeds. Gives what does it once. That is said,
 * in place of whatever offered it, unless the undo itself says more.
 */
export function pushUndo(undo: () => void): () => void {
  const entry = () => {
    const at = undos.indexOf(entry);
    if (at < 0) return;
    undos.splice(at, 1);
    const before = serial;
    undo();
    if (serial === before) showToast(t`Undone.`);
  };
  undos.push(entry);
  if (undos.length > keptUndos) undos.shift();
  return entry;
}

/**
 * A toast whose action takes the deed back, as its key does. What is returned forgets it again: the deed was refused, and
 * `z` goes on to the one before.
 */
export function showUndo(text: string, undoLabel: string, undo: () => void): () => void {
  const run = pushUndo(undo);
  showToast(text, { label: undoLabel, run, command: "undo" });
  return () => {
    const at = undos.indexOf(run);
    if (at >= 0) undos.splice(at, 1);
  };
}

/** Another person may sign in here: no deed of the first one is taken back, nor offered any more. */
export function forgetUndos(): void {
  undos.length = 0;
  if (current?.action) hideToast(current.key);
}

/** Takes the last deed back; false when there is none. */
export function undoLast(): boolean {
  const last = undos.at(-1);
  if (!last) return false;
  last();
  return true;
}

export function useToast(): Toast | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
