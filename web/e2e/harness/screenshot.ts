import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { artifacts, keepsScreenshots } from "./paths.ts";

/** Writes a screenshot to the artifacts folder when `make screenshots` asked for them. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (keepsScreenshots) await takeScreenshot(page, name);
}

/** Writes a screenshot to the artifacts folder, which takes a quarter of the time of Playwright's own: it packs less. */
export async function takeScreenshot(page: Page, name: string): Promise<string> {
  const file = join(artifacts, name);
  await mkdir(dirname(file), { recursive: true });
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", {
    format: "png",
    optimizeForSpeed: true,
  });
  await session.detach();
  await writeFile(file, Buffer.from(data, "base64"));
  return file;
}
