import type { Page } from "playwright-core";
import type { Measured } from "./browser.ts";
import { slowDown } from "./browser.ts";
import { heading, quantile, row, spread } from "./figures.ts";

const items = 10_000;
const steps = 180;
const pixels = 400;

/** A list of ten thousand items, all loaded: frames while it is scrolled, and the way from a click to its frame. */
export async function longList(browser: Measured, base: string): Promise<void> {
  for (const rate of [1, 4]) {
    const { page, cdp } = await browser.page();
    await manyItems(page);
    await page.goto(`${base}/all`);
    await page.locator(".list-pane .row").nth(5).waitFor();
    await page.waitForLoadState("networkidle");
    await slowDown(cdp, rate);
    const { frames, rows, nodes } = await page.evaluate(
      async ([count, by]) => {
        const box = document.querySelector(".list-pane > .scroll") as HTMLElement;
        const frames: number[] = [];
        let rows = 0;
        let nodes = 0;
        let last = await new Promise<number>(requestAnimationFrame);
        for (let i = 0; i < count; i += 1) {
          box.scrollBy({ top: by, behavior: "instant" });
          const now = await new Promise<number>(requestAnimationFrame);
          frames.push(now - last);
          last = now;
          rows = Math.max(rows, document.querySelectorAll(".list-pane .row").length);
          nodes = Math.max(nodes, document.querySelectorAll("*").length);
        }
        return { frames, rows, nodes };
      },
      [steps, pixels] as const,
    );
    await page.waitForLoadState("networkidle");
    const marks = await page.evaluate(async () => {
      const times: number[] = [];
      const stars = [...document.querySelectorAll<HTMLElement>(".row .icon-btn[aria-pressed]")];
      for (const star of stars.slice(0, 10)) {
        const begun = performance.now();
        star.click();
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
        times.push(performance.now() - begun);
      }
      return times;
    });
    heading(
      `A list of ${items.toLocaleString("en")} items, processor ${rate === 1 ? "as it is" : `${rate} times slower`}`,
    );
    row(`frames, ${pixels} px each`, spread(frames));
    row("frames of more than 20 ms", `${frames.filter((one) => one > 20).length} of ${steps}`);
    row("frames of more than 34 ms", `${frames.filter((one) => one > 34).length} of ${steps}`);
    row("rows, elements in the page at most", `${rows}, ${nodes}`);
    row("click on a star to its frame", `${spread(marks)}; p50 ${quantile(marks, 0.5).toFixed(1)}`);
    await page.close();
  }
}

/** The first page of the list answers with ten thousand items, made of the real ones. */
async function manyItems(page: Page): Promise<void> {
  await page.route("**/api/items?*", async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    const real: { id: string; title: string; isStarred: boolean }[] = body.items;
    const many = Array.from({ length: items }, (_, i) => {
      const one = real[i % real.length];
      return i < real.length
        ? one
        : { ...one, id: String(9_000_000_000 + i), title: `${i}: ${one?.title}` };
    });
    await route.fulfill({ json: { ...body, items: many, nextCursor: null } });
  });
  // What is marked on an item that the server does not know stays in the page.
  await page.route("**/api/items/state", (route) => route.abort());
}
