import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { isBegun, stop, stoppedAt, toContinue } from "@/data/stopped";
import { useStore } from "@/data/store";
import type { ItemId } from "@/data/types";

/** For how long it is said that the text was continued, and for how long the place is held after something has moved it. */
const shownFor = 4_000;
const heldFor = 5_000;
/** Texts that are hardly longer than the view have no place. */
const leastRoom = 0.3;
/** Steps in which a place is kept. */
const step = 0.005;

const byHand = ["wheel", "touchstart", "pointerdown", "keydown"] as const;

/** The box that scrolls the text: that of the pane, or of the list that it is open in. */
function viewOf(own: HTMLElement): HTMLElement {
  return own.parentElement?.closest<HTMLElement>(".scroll") ?? own;
}

/** How far the text is above the upper edge of the view, and how far it can be; null for one that is short. */
function measure(view: HTMLElement, text: Element): { above: number; room: number } | null {
  const box = text.getBoundingClientRect();
  const room = box.height - view.clientHeight;
  if (room < leastRoom * view.clientHeight) return null;
  return { above: view.getBoundingClientRect().top - box.top, room };
}

function scrollBy(view: HTMLElement, by: number): void {
  if (Math.abs(by) >= 1) view.scrollTop += by;
}

/** Keeps how far a text is read while its view scrolls, where `counts` allows it. */
function keepOnScroll(
  id: ItemId,
  view: HTMLElement,
  text: Element,
  signal: AbortSignal,
  counts: () => boolean,
): void {
  let frame = 0;
  const keep = () => {
    frame = 0;
    const at = counts() && measure(view, text);
    if (!at) return;
    const now = Math.min(1, Math.max(0, at.above / at.room));
    const was = stoppedAt(id)?.part;
    if (was === undefined ? isBegun(now) : Math.abs(now - was) >= step)
      stop(id, { part: Math.round(now * 10_000) / 10_000 });
  };
  const onScroll = () => {
    frame ||= requestAnimationFrame(keep);
  };
  view.addEventListener("scroll", onScroll, { signal, passive: true });
  signal.addEventListener("abort", () => cancelAnimationFrame(frame));
}

/**
 * Keeps a text at its place while what loads moves it, or a list scrolls because of that, until one scrolls by hand;
 * returns whether it still does.
 */
function hold(
  moving: Element,
  settle: () => void,
  signal: AbortSignal,
  list?: HTMLElement,
): () => boolean {
  let isHeld = true;
  const again = () => {
    if (!isHeld) return;
    clearTimeout(timer);
    timer = setTimeout(end, heldFor);
    settle();
  };
  const observer = new ResizeObserver(again);
  const end = () => {
    isHeld = false;
    observer.disconnect();
    list?.removeEventListener("scroll", again);
  };
  let timer = setTimeout(end, heldFor);
  // A list has to measure its lines first: its own observer is older, and is notified before.
  if (!list) settle();
  observer.observe(moving);
  list?.addEventListener("scroll", again, { passive: true });
  for (const kind of byHand) addEventListener(kind, end, { signal, passive: true });
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    end();
  });
  return () => isHeld;
}

/**
 * Keeps the places of articles that stand below each other, of the one at the upper edge of the view; and goes to that of
 * the one that is to be continued.
 */
export function useStoppedInStream(
  id: ItemId,
  article: RefObject<HTMLElement | null>,
  isLoaded: boolean,
): void {
  const continued = useStore(toContinue, (one) => (one?.id === id ? one : null));
  useLayoutEffect(() => {
    const own = article.current;
    const text = isLoaded && own?.querySelector(".prose");
    if (!own || !text) return;
    const view = viewOf(own);
    const line = own.closest(".line");
    const part = stoppedAt(id)?.part ?? 0;
    const ended = new AbortController();
    let isHeld = () => false;
    const settle = () => {
      const edge = view.getBoundingClientRect().top;
      const at = measure(view, text);
      if (continued?.within !== undefined && line)
        scrollBy(view, line.getBoundingClientRect().top + continued.within - edge);
      else if (at && isBegun(part)) scrollBy(view, part * at.room - at.above);
    };
    // The list, because articles above it load too.
    if (continued) isHeld = hold(line?.parentElement ?? own, settle, ended.signal, view);
    keepOnScroll(id, view, text, ended.signal, () => {
      const edge = view.getBoundingClientRect().top;
      const { top, bottom } = text.getBoundingClientRect();
      return !isHeld() && top <= edge && bottom > edge;
    });
    return () => ended.abort();
  }, [id, article, isLoaded, continued]);
}

/**
 * Keeps where one stopped in a text, and goes there when it is opened again. Returns whether it did, which the pane says for
 * some seconds.
 */
export function useStopped(id: ItemId, scroller: RefObject<HTMLElement | null>, isLoaded: boolean) {
  const [isContinued, setContinued] = useState(false);
  const isRestored = useRef(false);

  useLayoutEffect(() => {
    const own = scroller.current;
    const text = isLoaded && own?.querySelector(".prose");
    if (!own || !text) return;
    const view = viewOf(own);
    const part = stoppedAt(id)?.part ?? 0;
    const ended = new AbortController();
    const { signal } = ended;
    let isHeld = () => false;
    if (!isRestored.current && isBegun(part) && measure(view, text)) {
      own.closest(".article-pane")?.setAttribute("data-continued", "");
      const settle = () => {
        const at = measure(view, text);
        if (at) scrollBy(view, part * at.room - at.above);
      };
      isHeld = hold(text, settle, signal);
      setContinued(true);
    }
    isRestored.current = true;
    keepOnScroll(id, view, text, signal, () => !isHeld());
    return () => ended.abort();
  }, [id, scroller, isLoaded]);

  useEffect(() => {
    if (!isContinued) return;
    const timer = setTimeout(() => setContinued(false), shownFor);
    return () => clearTimeout(timer);
  }, [isContinued]);

  const toTop = () => {
    const own = scroller.current;
    const pane = own?.closest(".article-pane");
    if (own && pane) {
      const view = viewOf(own);
      if (view === own) view.scrollTop = 0;
      // The head of the row stays above it.
      else pane.closest(".line")?.scrollIntoView({ block: "start" });
    }
    stop(id, { part: 0 });
    setContinued(false);
  };
  return { isContinued, toTop };
}
