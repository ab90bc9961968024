import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assertAccessible } from "./axe.ts";
import { dress, dresses } from "./dress.ts";
import { assertFits, assertTargets } from "./fits.ts";
import { takePicture } from "./picture.ts";
import { artifacts } from "./places.ts";
import type { Reader } from "./reader.ts";
import {
  emptyScreens,
  furnish,
  type Home,
  otherScreens,
  readerScreens,
  type Screen,
  signInScreens,
} from "./screens.ts";
import { lost, motion } from "./senses.ts";
import { openWorld, type World } from "./world.ts";

const folder = join(artifacts, "screens");
const forced = join(artifacts, "forced");
// While one works on a screen: RURI_SCREEN=name looks at it alone.
const only = process.env.RURI_SCREEN;

type Session = Awaited<ReturnType<World["owner"]>>;

/** The tests of all screens at one width: each is opened once and looked at in every dress. */
export function testScreens(width: number, height: number): void {
  let world: World;
  let owner: Session;
  let novice: Session;
  let home: Home;

  before(async () => {
    await mkdir(folder, { recursive: true });
    await mkdir(forced, { recursive: true });
    world = await openWorld({ samples: true });
    owner = await world.owner();
    novice = await world.user("novice@example.org");
    await world.visit({ as: owner }, async ({ api }) => {
      home = await furnish(world, api);
    });
  });
  after(() => world?.close());

  const visit = (as: Session | null, screens: readonly Screen[]) =>
    world.visit({ as, width, height }, async (reader) => {
      reader.watch.expectStatus(401, 404, 409, 422, 503);
      reader.watch.expect(/ERR_INTERNET_DISCONNECTED/);
      const faults: string[] = [];
      for (const screen of screens) {
        if (only && screen.name !== only) continue;
        // One that does not open is told with the others.
        await look(reader, screen, width, faults).catch((error) =>
          faults.push(`${screen.name}: ${error.message}`),
        );
      }
      assert.deepEqual([...new Set(faults)], []);
    });
  test("the reader", () => visit(owner, readerScreens(world, home, width < 768)));
  test("the other screens", () => visit(owner, otherScreens(home)));
  test("nothing yet", () => visit(novice, emptyScreens));
  test("the door", () => visit(null, signInScreens));
}

async function look(reader: Reader, screen: Screen, width: number, faults: string[]) {
  await screen.open(reader);
  // What the page brings by and by may still change what is there.
  await reader.quiet();
  for (const [at, one] of dresses.entries()) {
    await dress(reader, one);
    const file = `${screen.name}-${one.scheme}-${width}-${one.locale}.png`;
    await takePicture(reader.page, join(folder, file));
    const checks = [
      () => one.rules && assertAccessible(reader.page, file, one.rules),
      () => assertFits(reader.page, file),
      // The same in the dark.
      ...(at % 2 === 0 ? [() => assertTargets(reader.page, file)] : []),
    ];
    for (const check of checks) await check()?.catch((error) => faults.push(error.message));
  }
  // Where no motion is wanted (as in every visit) none runs, and the system's own colours lose nothing.
  for (const one of await motion(reader)) faults.push(`${screen.name} moves: ${one}`);
  await reader.page.emulateMedia({ forcedColors: "active" });
  await reader.frames(2);
  await takePicture(reader.page, join(forced, `${screen.name}-${width}.png`));
  for (const one of await lost(reader)) faults.push(`${screen.name} loses: ${one}`);
  await reader.page.emulateMedia({ forcedColors: "none" });
  await screen.close?.(reader);
}
