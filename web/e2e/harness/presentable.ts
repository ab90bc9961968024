import { type Appearance, appearancesAt, applyAppearance, needsAxe } from "./appearance.ts";
import { assertAccessible } from "./axe.ts";
import { assertFits } from "./layout.ts";
import type { Reader } from "./reader.ts";
import { keepScreenshot } from "./screenshot.ts";

/** Checks the open screen: nothing is wider than its place, and axe finds nothing. */
export async function assertPresentable(
  reader: Reader,
  name: string,
  look: Appearance & { width: number },
): Promise<void> {
  await reader.quiet(); // late parts of the page may still change what is shown
  const state = `${name}-${look.scheme}-${look.width}-${look.locale}`;
  await keepScreenshot(reader.page, `screens/${state}.png`);
  await assertFits(reader.page, state);
  if (needsAxe(name, look.width, look)) await assertAccessible(reader.page, state);
}

/** Checks the open screen in each theme and language that belongs to the width. `show` brings it up in each of them. */
export async function assertPresentableInEach(
  reader: Reader,
  name: string,
  width: number,
  show: () => Promise<unknown> = async () => {},
): Promise<void> {
  for (const look of appearancesAt(width)) {
    await applyAppearance(reader, look);
    await show();
    await assertPresentable(reader, name, { ...look, width });
  }
}
