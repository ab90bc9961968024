import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { inspect, isDeepStrictEqual } from "node:util";

const patience = 30_000;
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
