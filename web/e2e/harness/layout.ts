import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** Nothing is wider than its place, and no name of a control is cut off. */
export async function assertFits(page: Page, where: string): Promise<void> {
  const found = await page.evaluate(() => {
    const faults: string[] = [];
    const name = (one: Element) =>
      `${one.tagName.toLowerCase()}.${one.getAttribute("class") ?? ""} "${(one.textContent ?? "").trim().slice(0, 60)}"`;
    const isSeen = (one: Element) =>
      one.checkVisibility({ visibilityProperty: true, opacityProperty: true });

    for (const box of document.querySelectorAll(":root, dialog[open], main, .scroll")) {
      const more = box.scrollWidth - box.clientWidth;
      if (isSeen(box) && more > 0) faults.push(`${more} px too wide: ${name(box).slice(0, 60)}`);
    }
    // Only dialogs and menus lie over the tab bar of a phone.
    const bar = document.querySelector(".tabbar");
    const place = bar && isSeen(bar) ? bar.getBoundingClientRect() : null;
    if (place && document.documentElement.dataset.bars !== "away") {
      const over = document.elementFromPoint(innerWidth / 2, place.top + place.height / 2);
      if (over?.closest(".side, main") && !over.closest("dialog, [role=menu]"))
        faults.push(`over the tab bar: ${name(over)}`);
    }
    // The list contains what its rows are made of: its scroller does not get wider with them.
    for (const row of document.querySelectorAll(".list-pane .row")) {
      const place = row.closest(".scroll")?.getBoundingClientRect();
      const more = row.getBoundingClientRect().right - (place?.right ?? innerWidth);
      if (isSeen(row) && more > 0) faults.push(`${more} px too wide: ${name(row)}`);
    }
    const controls =
      "button, a.btn, summary, label, legend, th, [role=menuitem], [role=menuitemradio], [role=tab], .tabbar *";
    for (const one of document.querySelectorAll<HTMLElement>(controls)) {
      // Names of feeds and items are theirs and may end in dots; what we say may not.
      if (!isSeen(one) || one.closest(".sr-only, [data-cut], .prose") || one.clientWidth === 0)
        continue;
      const { overflowX } = getComputedStyle(one);
      const more = one.scrollWidth - one.clientWidth;
      if (overflowX !== "visible" && more > 1) faults.push(`cut by ${more} px: ${name(one)}`);
      // Words that reach over the edge of their button.
      const box = one.getBoundingClientRect();
      const range = document.createRange();
      range.selectNodeContents(one);
      const hasDots = [...one.querySelectorAll("*")].some(
        (part) => getComputedStyle(part).textOverflow === "ellipsis" || part.matches(".sr-only"),
      );
      if (one.matches("button, a.btn, summary") && !hasDots) {
        const words = range.getBoundingClientRect();
        if (words.width > 0 && (words.left < box.left - 1 || words.right > box.right + 1))
          faults.push(`words over the edge: ${name(one)}`);
      }
      // Lines that are moved sideways.
      if (box.right > innerWidth + 1 && !one.closest("table, .prose, [tabindex], .search-chips"))
        faults.push(`outside the window: ${name(one)}`);
    }
    return faults;
  });
  assert.deepEqual(found, [], `does not fit: ${where}`);
}

/** What can be pressed is big enough: 28 px for a mouse, 44 px for a finger. Links in running text are left out. */
export async function assertTargets(page: Page, where: string): Promise<void> {
  const found = await page.evaluate(() => {
    const least = matchMedia("(pointer: coarse)").matches ? 44 : 28;
    const faults: string[] = [];
    const things =
      "button, a, select, summary, textarea, input:not([type=hidden]):not([type=file]), [role^=menuitem], [role=separator][tabindex]";
    for (const one of document.querySelectorAll<HTMLElement>(things)) {
      if (!one.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      if (one.closest(".prose, .sr-only") || one.matches("[role=separator]")) continue;
      if (one.matches("a") && getComputedStyle(one).display === "inline") continue;
      const label = one.matches("input") ? one.closest("label") : null;
      const box = (label ?? one).getBoundingClientRect();
      if (box.width === 0 || box.height < 2) continue;
      const centre = [box.left + box.width / 2, box.top + box.height / 2] as const;
      if (Math.min(box.width, box.height) >= least - 0.5) continue;
      // A small thing may have a big place around it that takes the pointer for it.
      const half = least / 2 - 0.75;
      let scroller = one.parentElement;
      while (scroller && getComputedStyle(scroller).overflowY === "visible")
        scroller = scroller.parentElement;
      const pane = scroller?.getBoundingClientRect() ?? new DOMRect(0, 0, innerWidth, innerHeight);
      const reach = (x: number, y: number) => {
        // A row at the edge of what scrolls is cut.
        if (x < 0 || y < pane.top || x >= innerWidth || y >= pane.bottom) return true;
        const hit = document.elementFromPoint(x, y);
        const dialog = document.querySelector("dialog[open]");
        // Under a dialog, or under what stands still above what scrolls, nothing is pressed.
        if (hit === null || (dialog && !dialog.contains(one))) return true;
        return (
          (label ?? one).contains(hit) || (hit as Element).closest("label")?.contains(one) === true
        );
      };
      const isCovered = !reach(...centre) || centre[1] >= pane.bottom;
      if (isCovered) continue;
      const points = [
        [centre[0], centre[1] - half],
        [centre[0], centre[1] + half],
        [centre[0] - half, centre[1]],
        [centre[0] + half, centre[1]],
      ] as const;
      if (!points.every(([x, y]) => reach(x, y)))
        faults.push(
          `${Math.round(box.width)}x${Math.round(box.height)} of ${least}: ${one.tagName.toLowerCase()}.${one.getAttribute("class") ?? ""} "${(one.getAttribute("aria-label") ?? one.textContent ?? "").trim().slice(0, 40)}"`,
        );
    }
    return [...new Set(faults)];
  });
  assert.deepEqual(found, [], `too small to press: ${where}`);
}
