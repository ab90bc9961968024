import type { ItemId } from "@/data/types";
import { isSwipeOn } from "@/ui/touch";

interface Gestures {
  star(id: ItemId): void;
  read(id: ItemId): void;
  menu(id: ItemId, row: HTMLElement): void;
}

/** Pixels from which on a swipe counts. */
const enough = 72;
/** The edges of the screen are for gestures of the system. */
const edge = 24;
const slop = 10;
const longPress = 500;

/**
 * Touch gestures on rows: a swipe to the right stars, to the left marks as read, a long press opens the menu. Each has a
 * button elsewhere. Rows handle only horizontal movement (touch-action); the browser scrolls.
 */
export function listenForGestures(list: HTMLElement, on: Gestures): () => void {
  let row: HTMLElement | null = null;
  let pointer = -1;
  let from = { x: 0, y: 0 };
  let isSwiping = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The click after a gesture opens nothing. */
  let suppressesClick = false;

  const move = (x: number) => {
    if (!row) return;
    const line = row.closest<HTMLElement>(".line");
    row.style.transform = x === 0 ? "" : `translateX(${x}px)`;
    if (!line) return;
    if (line.dataset.swipe === undefined) {
      const { offsetTop, offsetLeft, offsetWidth, offsetHeight } = row;
      line.style.setProperty("--row-top", `${offsetTop}px`);
      line.style.setProperty("--row-left", `${offsetLeft}px`);
      line.style.setProperty("--row-width", `${offsetWidth}px`);
      line.style.setProperty("--row-height", `${offsetHeight}px`);
    }
    if (x === 0) {
      delete line.dataset.swipe;
      delete line.dataset.enough;
    } else {
      line.dataset.swipe = x > 0 ? "star" : "read";
      line.dataset.enough = String(Math.abs(x) >= enough);
    }
  };
  const end = () => {
    clearTimeout(timer);
    move(0);
    row = null;
    isSwiping = false;
  };

  const onDown = (event: PointerEvent) => {
    suppressesClick = false;
    if (event.pointerType !== "touch" || !event.isPrimary) return end();
    const target = event.target as Element;
    row = target.closest<HTMLElement>(".row");
    if (!row || target.closest("button") || row.querySelector(":scope + .opened")) {
      row = null;
      return;
    }
    pointer = event.pointerId;
    from = { x: event.clientX, y: event.clientY };
    timer = setTimeout(() => {
      const pressed = row;
      const id = pressed?.dataset.item;
      if (!pressed || id === undefined || isSwiping) return;
      suppressesClick = true;
      end();
      on.menu(id, pressed);
    }, longPress);
  };
  const onMove = (event: PointerEvent) => {
    if (!row || event.pointerId !== pointer) return;
    const x = event.clientX - from.x;
    const y = event.clientY - from.y;
    if (Math.hypot(x, y) < slop && !isSwiping) return;
    clearTimeout(timer);
    if (!isSwiping) {
      if (Math.abs(y) > Math.abs(x) || from.x < edge || from.x > innerWidth - edge) return end();
      if (!isSwipeOn(x > 0 ? "star" : "read")) return end();
      isSwiping = true;
      suppressesClick = true;
      row.setPointerCapture(pointer);
    }
    // Beyond that the row follows less.
    const far = Math.max(0, Math.abs(x) - enough);
    move(Math.sign(x) * (Math.min(Math.abs(x), enough) + far / 4));
  };
  const onUp = (event: PointerEvent) => {
    if (!row || event.pointerId !== pointer) return;
    const id = row.dataset.item;
    const x = event.clientX - from.x;
    const counts = isSwiping && Math.abs(x) >= enough && isSwipeOn(x > 0 ? "star" : "read");
    end();
    if (!counts || id === undefined) return;
    if (x > 0) on.star(id);
    else on.read(id);
  };
  const onClick = (event: Event) => {
    if (!suppressesClick) return;
    suppressesClick = false;
    event.preventDefault();
    event.stopPropagation();
  };
  // The browser's own menu for links would come over ours.
  const onContextMenu = (event: Event) => {
    if (row || suppressesClick) event.preventDefault();
  };

  const offs = [
    listen(list, "pointerdown", onDown),
    listen(list, "pointermove", onMove),
    listen(list, "pointerup", onUp),
    listen(list, "pointercancel", end),
    listen(list, "click", onClick, true),
    listen(list, "contextmenu", onContextMenu),
  ];
  return () => {
    end();
    for (const off of offs) off();
  };
}

function listen<K extends keyof HTMLElementEventMap>(
  target: HTMLElement,
  kind: K,
  handler: (event: HTMLElementEventMap[K]) => void,
  capture = false,
): () => void {
  target.addEventListener(kind, handler, capture);
  return () => target.removeEventListener(kind, handler, capture);
}
