import { useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import { limits, type Pane, setWidth, useWidth } from "./panes";

/** Pixels per arrow key. */
const step = 16;

/** Resizes a pane by dragging or arrow keys; a double click restores the default width. */
export function Splitter({ pane }: { pane: Pane }) {
  const { t } = useLingui();
  const width = useWidth(pane);
  const { least, most, usual } = limits[pane];
  const edge = useRef<number | null>(null);

  const onKeyDown = (event: KeyboardEvent) => {
    const wanted = {
      ArrowLeft: width - step,
      ArrowRight: width + step,
      Home: least,
      End: most,
      Enter: usual,
    }[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    setWidth(pane, wanted);
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    event.currentTarget.focus({ preventScroll: true });
    const box = document.querySelector(pane === "side" ? ".side" : ".list-pane");
    edge.current = box?.getBoundingClientRect().left ?? null;
  };
  const onPointerMove = (event: PointerEvent) => {
    if (edge.current !== null) setWidth(pane, event.clientX - edge.current);
  };
  const drop = () => {
    edge.current = null;
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a line of text has no value
    <div
      role="separator"
      className="splitter"
      data-pane={pane}
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={pane === "side" ? t`Sidebar width` : t`List width`}
      aria-valuenow={width}
      aria-valuemin={least}
      aria-valuemax={most}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={drop}
      onPointerCancel={drop}
      onDoubleClick={() => setWidth(pane, null)}
    />
  );
}
