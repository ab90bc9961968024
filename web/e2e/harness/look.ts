import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { assertAccessible } from "./axe.ts";
import { settles } from "./eventually.ts";
import { artifacts } from "./places.ts";
import type { Reader } from "./reader.ts";
import type { Locale } from "./words.ts";

interface Dress {
  locale: string;
  scheme: string;
  width: number;
}

/** Keeps a picture of a screen, holds it against axe, and finds nothing wider than it. */
export async function looksWell(reader: Reader, name: string, dress: Dress): Promise<void> {
  const screens = join(artifacts, "screens");
  await mkdir(screens, { recursive: true });
  await reader.quiet(); // what comes by and by may still change what is there
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

/** Shows the page in dark, then in light, as the system changes its mind. */
export async function inBothThemes(
  reader: Reader,
  look: (scheme: "light" | "dark") => Promise<void>,
): Promise<void> {
  for (const scheme of ["dark", "light"] as const) {
    await reader.page.emulateMedia({ colorScheme: scheme });
    const shown = () => reader.page.evaluate(() => document.documentElement.dataset.theme);
    await settles("the theme", shown, scheme);
    await look(scheme);
  }
}

/** What axe says of a language it says of the other, and of a theme on a phone what it says on a desk. */
export function isHeldAgainstAxe(locale: Locale, scheme: string): boolean {
  return (scheme === "light") === (locale === "en");
}
