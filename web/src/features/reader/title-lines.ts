let observer: ResizeObserver | undefined;

/** Says which titles take more than one line: the excerpt has the lines that are left, and dots at its end. */
export function watchLines(title: HTMLElement | null) {
  if (!title) return undefined;
  observer ??= new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      const line = Number.parseFloat(getComputedStyle(target).lineHeight);
      target.toggleAttribute("data-long", contentRect.height > 1.5 * line);
    }
  });
  observer.observe(title);
  return () => void observer?.unobserve(title);
}
