/*
 * Keys pressed before their target exists: a dialog, menu or screen whose code is still loading, or the page itself at its
 * start (index.html collects those). They are queued. When the target is there they are delivered to the element with the
 * focus: a text field gets the letters, anything else the key presses. Until then no key runs a command.
 */

import type { Pressed } from "./deliver";

interface Hold {
  cancel: () => void;
}

declare global {
  interface Window {
    /** Keys pressed before the program was loaded, and what stops collecting them. */
    early?: { pressed: KeyboardEvent[]; stop: () => void };
  }
}

/** Further keys are dropped. */
const maxHeld = 500;
/** Milliseconds until keys work as usual again, whatever happened to the loading. */
const maxHoldTime = 20_000;

const holds = new Set<Hold>();
let queue: Pressed[] = [];
let isPumping = false;
/** Keys that are being delivered are not held again. */
let isDelivering = false;

/**
 * Holds keys until the returned function is called, because their target is there. Escape calls `cancel` and drops them.
 */
export function holdKeys(cancel: () => void): () => void {
  const hold: Hold = { cancel };
  holds.add(hold);
  const timer = setTimeout(() => {
    dropHeldKeys();
    end();
  }, maxHoldTime);
  const end = () => {
    clearTimeout(timer);
    if (holds.delete(hold)) void pump();
  };
  return end;
}

/** Drops held keys, whose target could not be loaded. */
export function dropHeldKeys(): void {
  queue = [];
}

/** Reports whether a key is held, or cancels what it would be held for: nothing else may handle it then. */
export function holdPress(event: KeyboardEvent): boolean {
  if (!isHolding()) return false;
  if (event.key === "Escape") {
    dropHeldKeys();
    const last = [...holds].at(-1);
    last?.cancel();
    return last !== undefined;
  }
  // The key that opened it may still be down.
  if (!event.repeat || event.key.length > 1) keep(event);
  return true;
}

/** The same for pasted text. */
export function holdPaste(pasted: string): boolean {
  if (isHolding()) keep({ pasted });
  return isHolding();
}

/** Takes over the keys pressed while the program was loading. */
export function adoptEarlyKeys(): void {
  for (const event of window.early?.pressed ?? []) keep(event);
  dropEarlyKeys();
  void pump();
}

/** For screens without commands: drops early keys and stops collecting them. */
export function dropEarlyKeys(): void {
  window.early?.stop();
  delete window.early;
}

function isHolding(): boolean {
  return !isDelivering && (holds.size > 0 || queue.length > 0);
}

// Not part of the first screen: loaded in parallel with what keys are held for.
const loadDelivery = () => import("./deliver");

function keep(pressed: Pressed): void {
  if (queue.length >= maxHeld) return;
  queue.push(pressed);
  loadDelivery().catch(dropHeldKeys);
}

/** Delivers one key after the other, each after the effects of the one before, which may hold keys again. */
async function pump(): Promise<void> {
  if (isPumping || queue.length === 0) return;
  isPumping = true;
  try {
    const { deliver } = await loadDelivery();
    for (;;) {
      await new Promise((done) => setTimeout(done));
      const next = holds.size === 0 ? queue.shift() : undefined;
      if (next === undefined) break;
      isDelivering = true;
      deliver(next);
      isDelivering = false;
    }
  } catch {
    dropHeldKeys();
  }
  isDelivering = false;
  isPumping = false;
}
