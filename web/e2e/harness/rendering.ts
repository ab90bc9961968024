import type { Reader } from "./reader.ts";

/** Animations that run for longer than 10 ms. */
export function runningAnimations(reader: Reader): Promise<string[]> {
  return reader.page.evaluate(() =>
    document
      .getAnimations()
      .filter(({ effect, playState }) => {
        const { duration, iterations } = effect?.getComputedTiming() ?? {};
        return playState === "running" && (Number(duration) > 10 || iterations === Infinity);
      })
      .map(({ effect }) => {
        const target = (effect as KeyframeEffect | null)?.target;
        return `${target?.tagName.toLowerCase()}.${target?.className}`;
      }),
  );
}

/** What the forced colours of the system hide: states shown by colour alone, missing borders, invisible icons. */
export function forcedColorFaults(reader: Reader): Promise<string[]> {
  return reader.page.evaluate(() => {
    const faults: string[] = [];
    const name = (one: Element) =>
      `${one.tagName.toLowerCase()}.${one.getAttribute("class") ?? ""} "${(one.getAttribute("aria-label") ?? one.textContent ?? "").trim().slice(0, 40)}"`;
    const seen = [...document.querySelectorAll<HTMLElement>("body *")].filter((one) =>
      one.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
    );
    const look = (one: Element) => {
      const style = getComputedStyle(one);
      return [
        style.color,
        style.backgroundColor,
        style.borderTopColor,
        style.borderTopWidth,
        style.borderTopStyle,
        style.outlineStyle,
        style.fontWeight,
        style.textDecorationLine,
      ].join(" ");
    };
    for (const one of seen) {
      if (one.matches(".segments [aria-pressed=true], .segments :checked")) {
        const place = one.closest("label") ?? one;
        const other = [...(place.parentElement?.children ?? [])].find(
          (sibling) =>
            sibling !== place &&
            (sibling.getAttribute("aria-pressed") === "false" || sibling.matches("label")),
        );
        if (other && look(place) === look(other)) faults.push(`which is chosen: ${name(place)}`);
      }
      const isField =
        "input:not([type=checkbox], [type=radio], [type=range], .sr-only), select, textarea";
      if (one.matches(isField)) {
        const { borderTopWidth, borderTopStyle } = getComputedStyle(one);
        if (borderTopWidth === "0px" || borderTopStyle === "none")
          faults.push(`the edge of ${name(one)}`);
      }
      if (one.matches("dialog[open], .menu, .panel, .toast")) {
        const { borderTopWidth, borderTopStyle } = getComputedStyle(one);
        if (borderTopWidth === "0px" || borderTopStyle === "none")
          faults.push(`the edge of ${name(one).slice(0, 30)}`);
      }
    }
    // A dot, a bar or a switch that is only a ground is not drawn any more.
    for (const one of seen.filter((part) => part.matches(".dot, .meter i, .bar i, .switch"))) {
      const style = getComputedStyle(one);
      const box = one.getBoundingClientRect();
      if (box.width === 0 || box.height === 0) continue;
      const ground = getComputedStyle(document.body).backgroundColor;
      if (style.backgroundColor === ground && style.borderTopWidth === "0px")
        faults.push(`the ground of ${name(one)}`);
    }
    return faults;
  });
}
