/** Goes to the place of the article that a clicked link leads to. Reports whether the link is one within the article. */
export function followPlace(event: MouseEvent, body: HTMLElement): boolean {
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  const href = link?.getAttribute("href");
  if (!href?.startsWith("#")) return false;
  event.preventDefault();
  const id = decoded(href.slice(1));
  const place = [...body.querySelectorAll<HTMLElement>("[id]")].find((one) => one.id === id);
  if (!place) return true;
  // Closed details hide it.
  for (let outer = place.closest("details"); outer; outer = next(outer)) outer.open = true;
  place.scrollIntoView({ block: "start" });
  // So that the keyboard and screen readers go on from there.
  if (place.tabIndex < 0) place.tabIndex = -1;
  place.focus({ preventScroll: true });
  return true;
}

function next(details: HTMLDetailsElement): HTMLDetailsElement | null {
  return details.parentElement?.closest("details") ?? null;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
