import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { inspect, isDeepStrictEqual } from "node:util";
import type { Locator } from "playwright-core";

// Only a failure waits so long: a first crawl that has to wait for its turn is retried after half a minute, and a busy
// machine takes its time.
const patience = 180_000;
const between = 25;

/** Polls until the value is good and returns it; fails with the last value seen. */
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

/** Sets a checkbox whose state follows from the page's data, which changes after the click. */
export async function tick(box: Locator, on = true): Promise<void> {
  await box.click();
  await eventuallyEquals("the tick", () => box.isChecked(), on);
}

/** Waits for something that a first crawl or an import adds, also when the crawl has to wait for its turn. */
export async function eventuallyVisible(what: Locator): Promise<void> {
  await eventuallyEquals(String(what), () => what.isVisible(), true);
}

/** Waits until an element has the focus: one that was removed passes it on a frame later. */
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

/** Waits until the value equals the wanted one. */
export async function eventuallyEquals<T>(
  what: string,
  look: () => Promise<T> | T,
  wanted: T,
): Promise<void> {
  await eventually(`${what}, wanted ${inspect(wanted)}`, look, (seen) =>
    isDeepStrictEqual(seen, wanted),
  );
}
