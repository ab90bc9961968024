import { useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import { limits, type Pane, setWidth, useWidth } from "./panes";

/** So far an arrow key moves it, in px. */
const step = 16;

/** Between two panes: pulled, or moved by the arrows; a double click brings the usual width back. */
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
      aria-label={pane === "side" ? t`Width of the side bar` : t`Width of the list`}
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
