/*
 * Keys pressed before what they are meant for is there: a dialog, menu or screen whose code is still being loaded, or
 * the page itself at its start (index.html collects those). They wait in order. When the wait ends they are given to
 * whatever has the focus then, as if it had been there from the beginning: a text field gets the letters, anything else
 * the key presses. Until then no key runs a command.
 */

interface Hold {
  cancel: () => void;
}

export type Pressed = KeyboardEvent | { pasted: string };

declare global {
  interface Window {
    /** What was pressed before the program was there, and what ends that collecting. */
    early?: { pressed: KeyboardEvent[]; stop: () => void };
  }
}

/** Whoever types more than this ahead types into nothing. */
const mostHeld = 500;
/** After this long keys work as usual again, whatever became of the loading, in ms. */
const longestHold = 20_000;

const holds = new Set<Hold>();
let queue: Pressed[] = [];
let isPumping = false;
/** What is delivered now passes. */
let isDelivering = false;

/**
 * From now on keys wait, until the returned function says that what they are meant for is there. Escape calls `cancel`
 * instead, and what was typed is forgotten.
 */
export function holdKeys(cancel: () => void): () => void {
  const hold: Hold = { cancel };
  holds.add(hold);
  const timer = setTimeout(() => {
    dropHeldKeys();
    end();
  }, longestHold);
  const end = () => {
    clearTimeout(timer);
    if (holds.delete(hold)) void pump();
  };
  return end;
}

/** What the keys were meant for does not come. */
export function dropHeldKeys(): void {
  queue = [];
}

/** True for a press that now waits, or that cancels what is waited for: nobody else is to see it. */
export function holdPress(event: KeyboardEvent): boolean {
  if (!isHolding()) return false;
  if (event.key === "Escape") {
    dropHeldKeys();
    const last = [...holds].at(-1);
    last?.cancel();
    return last !== undefined;
  }
  // The key that opened it may still be down; nobody means "aaaa" by that.
  if (!event.repeat || event.key.length > 1) keep(event);
  return true;
}

/** The same for text that is pasted. */
export function holdPaste(pasted: string): boolean {
  if (isHolding()) keep({ pasted });
  return isHolding();
}

/** Takes over what was pressed while the program was on its way. */
export function adoptEarlyKeys(): void {
  for (const event of window.early?.pressed ?? []) keep(event);
  dropEarlyKeys();
  void pump();
}

/** No screen is there that has commands: what was pressed, and what will be, is not for us. */
export function dropEarlyKeys(): void {
  window.early?.stop();
  delete window.early;
}

function isHolding(): boolean {
  return !isDelivering && (holds.size > 0 || queue.length > 0);
}

// The first screen does without it; it comes beside what is waited for.
const loadDelivery = () => import("./deliver");

function keep(pressed: Pressed): void {
  if (queue.length >= mostHeld) return;
  queue.push(pressed);
  loadDelivery().catch(dropHeldKeys);
}

/** Delivers one after the other, each when what the one before did has been drawn; it may open something, too. */
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
