// Every screen in a language whose words are longer by four tenths and carry accents: nothing is wider than its place,
// and no name of a control is cut off.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { dress } from "./harness/dress.ts";
import { assertFits } from "./harness/fits.ts";
import { takePicture } from "./harness/picture.ts";
import { artifacts } from "./harness/places.ts";
import { speakPseudo } from "./harness/pseudo.ts";
import {
  furnish,
  type Home,
  otherScreens,
  readerScreens,
  signInScreens,
} from "./harness/screens.ts";
import { openWorld, type World } from "./harness/world.ts";

const folder = join(artifacts, "pseudo");
let world: World;
let owner: Awaited<ReturnType<World["owner"]>>;
let home: Home;

before(async () => {
  await mkdir(folder, { recursive: true });
  world = await openWorld({ samples: true });
  owner = await world.owner();
  await world.visit({ as: owner }, async ({ api }) => {
    home = await furnish(world, api);
  });
});
after(() => world?.close());

/** On a wide window only what stands in columns can get too narrow. */
const inColumns = /^(list|cards|article|subscriptions|rules|stats|settings)/;

for (const [width, height] of [
  [1440, 900],
  [390, 844],
] as const) {
  test(`longer words fit, ${width} wide`, async () => {
    const faults: string[] = [];
    const parts = [
      { as: owner, screens: [...readerScreens(world, home, width < 768), ...otherScreens(home)] },
      { as: null, screens: signInScreens },
    ];
    for (const { as, screens } of parts) {
      await world.visit({ as, width, height }, async (reader) => {
        reader.watch.expectStatus(401, 404, 409, 422, 503);
        reader.watch.expect(/ERR_INTERNET_DISCONNECTED/);
        await speakPseudo(reader.page.context());
        for (const screen of screens) {
          if (width > 768 && !inColumns.test(screen.name)) continue;
          await screen.open(reader);
          await dress(reader, { scheme: "light", locale: "ja" });
          const name = `${screen.name}-${width}`;
          await takePicture(reader.page, join(folder, `${name}.png`));
          await assertFits(reader.page, name).catch((error) => faults.push(error.message));
          await screen.close?.(reader);
        }
      });
    }
    assert.deepEqual(faults, []);
  });
}
