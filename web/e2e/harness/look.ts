import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { assertAccessible } from "./axe.ts";
import { artifacts } from "./places.ts";
import type { Reader } from "./reader.ts";

interface Dress {
  locale: string;
  scheme: string;
  width: number;
}

/** Keeps a picture of a screen, holds it against axe, and finds nothing wider than it. */
export async function looksWell(reader: Reader, name: string, dress: Dress): Promise<void> {
  const screens = join(artifacts, "screens");
  await mkdir(screens, { recursive: true });
  await reader.frames(2);
  const file = `${name}-${dress.scheme}-${dress.width}-${dress.locale}.png`;
  await reader.page.screenshot({ path: join(screens, file) });
  await assertAccessible(reader.page, file);
  const over = await reader.page.evaluate(() =>
    [...document.querySelectorAll(":root, dialog, main")].map(
      (one) => one.scrollWidth - one.clientWidth,
    ),
  );
  assert.ok(
    over.every((pixels) => pixels <= 0),
    `${file} is wider than its place: ${over}`,
  );
}
