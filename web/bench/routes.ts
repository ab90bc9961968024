import type { Measured } from "./browser.ts";
import { heading, row } from "./figures.ts";

/** What each screen asks for, in a profile that has nothing yet: scripts and styles as they travel, and requests. */
export async function routes(
  browser: Measured,
  base: string,
  screens: Readonly<Record<string, string>>,
): Promise<void> {
  heading("Each screen, with nothing kept: kB of scripts, kB of styles, requests (as they travel)");
  for (const [name, path] of Object.entries(screens)) {
    const { page, cdp } = await browser.page();
    await cdp.send("Network.enable");
    await cdp.send("Network.clearBrowserCache");
    const types = new Map<string, string>();
    const sums: Record<string, number> = { Script: 0, Stylesheet: 0 };
    let requests = 0;
    cdp.on("Network.responseReceived", ({ requestId, type }) => types.set(requestId, type));
    cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      requests += 1;
      const type = types.get(requestId) ?? "";
      if (type in sums) sums[type] = (sums[type] ?? 0) + encodedDataLength;
    });
    await page.goto(base + path);
    await page.locator("h1").first().waitFor();
    await page.waitForLoadState("networkidle");
    const kb = (type: string) => ((sums[type] ?? 0) / 1000).toFixed(1);
    row(
      `${name} (${path.replace(/\d+/g, "…")})`,
      `${kb("Script")}, ${kb("Stylesheet")}, ${requests}`,
    );
    await page.close();
  }
}

/** What had been asked for when the first row stood in the page. */
export async function firstList(browser: Measured, base: string): Promise<void> {
  const { page } = await browser.page();
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector(".row")) return;
      observer.disconnect();
      performance.mark("first row");
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(`${base}/all`);
  await page.locator(".list-pane .row").first().waitFor();
  const asked = await page.evaluate(() => {
    const at = performance.getEntriesByName("first row")[0]?.startTime ?? 0;
    const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]")?.href;
    return performance
      .getEntriesByType("resource")
      .filter((one) => one.startTime < at && one.name !== icon)
      .map((one) => new URL(one.name).pathname.replace(/-[\w-]{8}\./, "."));
  });
  heading(`Requests before the first list: ${asked.length + 1}`);
  for (const path of ["/all", ...asked]) row(path, "");
  await page.close();
}
