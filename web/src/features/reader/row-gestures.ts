import { isSwipeOn } from "@/data/touch";
import type { ItemId } from "@/data/types";

export interface Gestures {
  star(id: ItemId): void;
  read(id: ItemId): void;
  menu(id: ItemId, row: HTMLElement): void;
}

/** So far a row is drawn before it counts. */
const enough = 72;
/** The edges of the screen are the system's: back, forward. */
const edge = 24;
const slop = 10;
const longPress = 500;

/**
 * What fingers do to rows: right is the star, left is read, and a long press opens the menu. Each has a button
 * elsewhere. Rows give up only sideways movement (touch-action), so that scrolling stays the browser's.
 */
export function listenForGestures(list: HTMLElement, on: Gestures): () => void {
  let row: HTMLElement | null = null;
  let pointer = -1;
  let from = { x: 0, y: 0 };
  let isDrawn = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The click that follows a gesture opens nothing. */
  let isSpent = false;

  const draw = (x: number) => {
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
    draw(0);
    row = null;
    isDrawn = false;
  };

  const onDown = (event: PointerEvent) => {
    isSpent = false;
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
      if (!pressed || id === undefined || isDrawn) return;
      isSpent = true;
      end();
      on.menu(id, pressed);
    }, longPress);
  };
  const onMove = (event: PointerEvent) => {
    if (!row || event.pointerId !== pointer) return;
    const x = event.clientX - from.x;
    const y = event.clientY - from.y;
    if (Math.hypot(x, y) < slop && !isDrawn) return;
    clearTimeout(timer);
    if (!isDrawn) {
      if (Math.abs(y) > Math.abs(x) || from.x < edge || from.x > innerWidth - edge) return end();
      if (!isSwipeOn(x > 0 ? "star" : "read")) return end();
      isDrawn = true;
      isSpent = true;
      row.setPointerCapture(pointer);
    }
    // Beyond what counts it follows less and less.
    const far = Math.max(0, Math.abs(x) - enough);
    draw(Math.sign(x) * (Math.min(Math.abs(x), enough) + far / 4));
  };
  const onUp = (event: PointerEvent) => {
    if (!row || event.pointerId !== pointer) return;
    const id = row.dataset.item;
    const x = event.clientX - from.x;
    const counts = isDrawn && Math.abs(x) >= enough && isSwipeOn(x > 0 ? "star" : "read");
    end();
    if (!counts || id === undefined) return;
    if (x > 0) on.star(id);
    else on.read(id);
  };
  const onClick = (event: Event) => {
    if (!isSpent) return;
    isSpent = false;
    event.preventDefault();
    event.stopPropagation();
  };
  // The browser's own menu for links would come over ours.
  const onContextMenu = (event: Event) => {
    if (row || isSpent) event.preventDefault();
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
