import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { inspect, isDeepStrictEqual } from "node:util";
import type { Locator } from "playwright-core";

// A first crawl that meets a busy part comes again after half a minute.
const patience = 90_000;
const between = 25;

/** Looks until what it sees is good, and gives that; never waits longer than it takes. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T> | T,
  good: (seen: T) => boolean,
): Promise<T> {
  const end = performance.now() + patience;
  let seen = await look();
  while (!good(seen)) {
    if (performance.now() > end) assert.fail(`${what}: last seen ${inspect(seen)}`);
    await pause(between);
    seen = await look();
  }
  return seen;
}

/** Ticks a box, or takes the tick off, whose new state comes by way of the page's data: not within the click itself. */
export async function tick(box: Locator, on = true): Promise<void> {
  await box.click();
  await settles("the tick", () => box.isChecked(), on);
}

/** Waits for something that a first crawl or an import brings, also one that meets a busy part. */
export async function comes(what: Locator): Promise<void> {
  await settles(String(what), () => what.isVisible(), true);
}

/** Waits until the focus is on something: what had it may just have gone, and hands it on a frame later. */
export async function hasFocus(
  reader: { focus(): Promise<string> },
  what = "the focus",
): Promise<void> {
  await eventually(
    what,
    () => reader.focus(),
    (seen) => seen !== "body",
  );
}

/** Waits until what is seen equals what is wanted. */
export async function settles<T>(
  what: string,
  look: () => Promise<T> | T,
  wanted: T,
): Promise<void> {
  await eventually(`${what}, wanted ${inspect(wanted)}`, look, (seen) =>
    isDeepStrictEqual(seen, wanted),
  );
}
