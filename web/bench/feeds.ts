import type { Measured } from "./browser.ts";
import { slowDown } from "./browser.ts";
import { heading, quantile, row, spread } from "./figures.ts";

declare global {
  interface Window {
    painted(until: () => boolean): Promise<number>;
  }
}

interface Figure {
  time: number;
  work: number;
}

/** In the page: the time from now until what is waited for has been painted. */
function painting(): void {
  window.painted = async (until) => {
    const begun = performance.now();
    // Looked for in each frame's own callback: what is there by then is painted by this frame. A timer would run after
    // that frame, and wait for another one.
    do {
      if (performance.now() - begun > 10_000) throw new Error("never painted");
      await new Promise(requestAnimationFrame);
    } while (!until());
    // The task that follows runs when the frame has been handed over.
    await new Promise((resolve) => setTimeout(resolve, 0));
    return performance.now() - begun;
  };
}

/** Where a key shows what it did: an element, and its attribute or else its words. */
const signs = {
  article: [".opened .prose", ""],
  read: [".row[data-open=true]", "data-read"],
  star: [".row[data-open=true] .icon-btn[aria-pressed]", "aria-pressed"],
} as const;

/** Feeds that have been looked at before, looked at again; and the keys that people press most. */
export async function feedsAndKeys(browser: Measured, base: string): Promise<void> {
  for (const rate of [1, 4]) {
    const { page, cdp } = await browser.page();
    await page.addInitScript(painting);
    await page.goto(`${base}/all`);
    await page.locator(".side-link[data-kind=feed]").nth(3).waitFor();
    await page.waitForLoadState("networkidle");
    await slowDown(cdp, rate);
    // The processor's time of the page's main thread: it does not depend on what else the machine does.
    await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
    const used = async () => {
      const { metrics } = await cdp.send("Performance.getMetrics");
      return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0);
    };
    const taken = async (act: () => Promise<number>) => {
      const before = await used();
      const time = await act();
      return { time, work: (await used()) - before };
    };
    // Calling into the page and waiting for a frame costs something itself.
    const idle = () => taken(() => page.evaluate(() => window.painted(() => true)));
    const idling: number[] = [];
    for (let i = 0; i < 10; i += 1) idling.push((await idle()).work);
    const ownWork = quantile(idling, 0.5);
    const work = async (act: () => Promise<number>) => {
      const figure = await taken(act);
      return { ...figure, work: figure.work - ownWork };
    };
    const change = (at: number) =>
      page.evaluate(async (index) => {
        const links = document.querySelectorAll<HTMLElement>(".side-link[data-kind=feed]");
        const link = links[index % links.length] as HTMLElement;
        const name = link.querySelector(".name")?.textContent;
        const before = document.querySelector(".list-pane .row");
        link.click();
        return window.painted(() => {
          const row = document.querySelector(".list-pane .row");
          const title = document.querySelector(".list-pane h1")?.textContent;
          return row !== null && row !== before && title === name;
        });
      }, at);
    const feeds = await page.locator(".side-link[data-kind=feed]").count();
    for (let i = 0; i < feeds; i += 1) {
      await change(i);
      await page.waitForLoadState("networkidle");
    }
    const switches: Figure[] = [];
    for (let i = 0; i < 30; i += 1) switches.push(await work(() => change(i)));
    heading(`Sample feeds, processor ${rate === 1 ? "as it is" : `${rate} times slower`}`);
    row("warm switch of the feed to its first paint", spread(switches.map(({ time }) => time)));
    row("  of its main thread's processor time", spread(switches.map(({ work }) => work)));
    row("  without what the measuring itself takes", `${ownWork.toFixed(1)} ms`);

    await page.goto(`${base}/all`);
    await page.locator(".list-pane .row").nth(9).waitFor();
    await page.waitForLoadState("networkidle");
    await slowDown(cdp, rate);
    const press = (key: string, sign: keyof typeof signs) =>
      page.evaluate(
        ([pressed, selector, attribute]) => {
          const value = () => {
            const element = document.querySelector(selector);
            return attribute ? element?.getAttribute(attribute) : element?.textContent;
          };
          const before = value();
          const event = { key: pressed, bubbles: true, cancelable: true };
          document.body.dispatchEvent(new KeyboardEvent("keydown", event));
          return window.painted(() => value() !== before && value() != null);
        },
        [key, ...signs[sign]] as const,
      );
    // Loads the code of articles.
    await press("j", "article");
    const times: Record<"read" | "star", number[]> = { read: [], star: [] };
    const articles: Figure[] = [];
    for (let i = 0; i < 10; i += 1) {
      // Somebody reads: the texts of the next items are loaded meanwhile.
      await page.waitForTimeout(1_000);
      articles.push(await work(() => press("j", "article")));
      times.read.push(await press("m", "read"));
      times.star.push(await press("s", "star"));
    }
    row(
      "j to the text of the next item, which opens in the list",
      spread(articles.map(({ time }) => time)),
    );
    row("  of its main thread's processor time", spread(articles.map(({ work }) => work)));
    row("m to the row's mark", spread(times.read));
    row("s to the row's star", spread(times.star));
    await page.close();
  }
}
