/** The element to focus in each pane: the first that is visible. */
const stops = [
  ['.side [data-stop][tabindex="0"]', ".rail button"],
  ['.list-pane .row[tabindex="0"]', ".list-pane h1"],
  [".article-pane h1", ".article-pane .scroll"],
];

/** F6: focuses the next visible pane. */
export function cyclePanes(step: 1 | -1): boolean {
  const panes = stops.flatMap((selectors) => {
    const shown = selectors.flatMap((one) => [...document.querySelectorAll<HTMLElement>(one)]);
    const stop = shown.find((element) => isOnScreen(element));
    return stop ? [stop] : [];
  });
  const focused = document.activeElement;
  // The last one: an article may be open in the list.
  const at = panes.findLastIndex((stop) => {
    const pane = stop.closest(".side,.rail,.list-pane,.article-pane");
    return pane?.contains(focused) ?? false;
  });
  const next = panes[(at < 0 ? (step > 0 ? 0 : -1) : at + step + panes.length) % panes.length];
  (next ?? panes.at(-1))?.focus();
  return panes.length > 0;
}

export function isOnScreen(element: HTMLElement): boolean {
  const { right, left, width } = element.getBoundingClientRect();
  return (
    element.checkVisibility({ visibilityProperty: true }) &&
    width > 0 &&
    right > 0 &&
    left < innerWidth
  );
}
