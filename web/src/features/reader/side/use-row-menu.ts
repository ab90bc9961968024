import { type MouseEvent, type PointerEvent, useRef, useState } from "react";

interface OpenMenu {
  row: string;
  at: { x: number; y: number };
  /** Gets the focus when the menu closes. */
  opener: HTMLElement;
}

/** Milliseconds of a long press, and pixels that it may move. */
const longPress = 500;
const stray = 10;

/** Opens the menu of a row: by its button, a right click, the menu key or a long press. */
export function useRowMenu(hasMenu: (row: string) => boolean) {
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const press = useRef<{ timer: ReturnType<typeof setTimeout>; x: number; y: number } | null>(null);
  /** Suppresses the click that ends a long press. */
  const swallows = useRef(false);

  const rowOf = (target: EventTarget) => {
    const element = (target as Element).closest<HTMLElement>("[data-row]");
    const row = element?.dataset.row ?? "";
    const link = element?.querySelector<HTMLElement>("[data-stop]");
    return link && hasMenu(row) ? { row, link } : null;
  };
  const drop = () => {
    if (press.current) clearTimeout(press.current.timer);
    press.current = null;
  };

  const handlers = {
    onClickCapture(event: MouseEvent) {
      if (swallows.current) {
        swallows.current = false;
        event.preventDefault();
        event.stopPropagation();
        return;
      }
      const button = (event.target as Element).closest<HTMLElement>(".row-more");
      const found = button && rowOf(button);
      if (!found) return;
      const { left, bottom, top } = button.getBoundingClientRect();
      const y = bottom > innerHeight * 0.55 ? top : bottom;
      setMenu((old) => (old ? null : { row: found.row, at: { x: left, y }, opener: button }));
    },
    onContextMenu(event: MouseEvent) {
      const found = rowOf(event.target);
      if (!found) return;
      event.preventDefault();
      drop();
      if (swallows.current) return;
      const box = found.link.getBoundingClientRect();
      // The menu key has no coordinates.
      const isKey = event.clientX === 0 && event.clientY === 0;
      const at = isKey
        ? { x: box.left + 24, y: box.bottom }
        : { x: event.clientX, y: event.clientY };
      setMenu({ row: found.row, at, opener: found.link });
    },
    onPointerDown(event: PointerEvent) {
      swallows.current = false;
      const found = event.pointerType === "touch" ? rowOf(event.target) : null;
      if (!found || (event.target as Element).closest(".row-more")) return;
      const { clientX: x, clientY: y } = event;
      const timer = setTimeout(() => {
        press.current = null;
        swallows.current = true;
        setMenu({ row: found.row, at: { x, y }, opener: found.link });
      }, longPress);
      press.current = { timer, x, y };
    },
    onPointerMove({ clientX, clientY }: PointerEvent) {
      const from = press.current;
      if (from && Math.hypot(clientX - from.x, clientY - from.y) > stray) drop();
    },
    onPointerUp: drop,
    onPointerCancel: drop,
  };
  const close = (giveBack = true) => {
    if (giveBack) menu?.opener.focus({ preventScroll: true });
    setMenu(null);
  };
  return { menu, close, handlers };
}
