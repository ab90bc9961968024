import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, startApp } from "./app.ts";
import { appearancesAt, applyAppearance, needsAxe } from "./appearance.ts";
import { assertAccessible } from "./axe.ts";
import { assertFits, assertTargets } from "./layout.ts";
import { keepsScreenshots } from "./paths.ts";
import { offerPseudoLocale, showPseudoLocale } from "./pseudo-locale.ts";
import type { Reader } from "./reader.ts";
import { forcedColorFaults, runningAnimations } from "./rendering.ts";
import {
  emptyScreens,
  otherScreens,
  prepareScenario,
  readerScreens,
  type Scenario,
  type Screen,
  signInScreens,
  watchScreens,
} from "./screens.ts";
import { keepScreenshot, takeScreenshot } from "./screenshot.ts";
import { serviceScreens } from "./service-screens.ts";

// For work on some screens: RURI_SCREEN=name,name checks them alone.
const only = process.env.RURI_SCREEN;

/** In a wide window only screens with columns can get too narrow for longer words. */
const inColumns = /^(list|cards|article|subscriptions|rules|stats|settings|watch)/;

type Session = Awaited<ReturnType<App["owner"]>>;

/** The tests of all screens at one width: each is opened once and checked in each appearance. */
export function testScreens(width: number, height: number): void {
  let app: App;
  let owner: Session;
  let novice: Session;
  let scenario: Scenario;

  before(async () => {
    app = await startApp({ samples: true });
    owner = await app.owner();
    novice = await app.user("novice");
    await app.visit({ as: owner }, async ({ api }) => {
      scenario = await prepareScenario(app, api);
    });
  });
  after(() => app?.close());

  const visit = (as: Session | null, screens: readonly Screen[]) =>
    app.visit({ as, width, height }, async (reader) => {
      reader.watch.expectStatus(401, 404, 409, 422, 503);
      reader.watch.expect(/ERR_INTERNET_DISCONNECTED/);
      if (keepsScreenshots) await offerPseudoLocale(reader.page.context());
      const faults: string[] = [];
      for (const screen of screens) {
        if (only && !only.split(",").includes(screen.name)) continue;
        const found = await checkScreen(reader, screen, width, height);
        // Each fault names its screen and appearance; the page is kept as it was then.
        if (found.length > 0)
          await takeScreenshot(reader.page, `failures/${screen.name}-${width}.png`);
        faults.push(...found);
        await screen.close?.(reader);
      }
      assert.deepEqual([...new Set(faults)], []);
    });
  test("the reader", () => visit(owner, readerScreens(app, scenario, width < 768)));
  test("the other screens", () => visit(owner, otherScreens(scenario)));
  test("the screens of other services", () => visit(owner, serviceScreens(scenario)));
  test("the screens of watches", () => visit(owner, watchScreens()));
  test("screens without feeds", () => visit(novice, emptyScreens));
  test("screens before sign-in", () => visit(null, signInScreens));
}

/** Opens a screen and returns its faults; failing to open is one. */
async function checkScreen(
  reader: Reader,
  screen: Screen,
  width: number,
  height: number,
): Promise<string[]> {
  try {
    await screen.open(reader);
  } catch (error) {
    return [`${screen.name} ${width}: ${(error as Error).message}`];
  }
  await reader.quiet(); // late parts of the page may still change what is shown
  const faults: string[] = [];
  const attempt = (check: Promise<void>) =>
    check.catch((error: Error) => void faults.push(error.message));
  for (const [at, appearance] of appearancesAt(width).entries()) {
    await applyAppearance(reader, appearance);
    const state = `${screen.name}-${appearance.scheme}-${width}-${appearance.locale}`;
    await keepScreenshot(reader.page, `screens/${state}.png`);
    if (needsAxe(screen.name, width, appearance))
      await attempt(assertAccessible(reader.page, state));
    await attempt(assertFits(reader.page, state));
    if (at === 0) await attempt(assertTargets(reader.page, state));
    if (at === 0 && width < 768) {
      await reader.page.setViewportSize({ width: 320, height });
      await reader.frames(2);
      await attempt(assertFits(reader.page, `${screen.name}-320`));
      await reader.page.setViewportSize({ width, height });
    }
  }
  // Every visit asks for reduced motion, so nothing may move.
  for (const one of await runningAnimations(reader)) faults.push(`${screen.name} animates: ${one}`);
  // Phones have no forced colors.
  if (width >= 768) {
    await reader.page.emulateMedia({ forcedColors: "active" });
    await reader.frames(2);
    await keepScreenshot(reader.page, `screens/forced-colors/${screen.name}-${width}.png`);
    for (const one of await forcedColorFaults(reader))
      faults.push(`${screen.name} ${width} loses in forced colors: ${one}`);
    await reader.page.emulateMedia({ forcedColors: "none" });
  }
  if (keepsScreenshots && (width < 768 || inColumns.test(screen.name))) {
    await showPseudoLocale(reader);
    await keepScreenshot(reader.page, `pseudo/${screen.name}-${width}.png`);
    await attempt(assertFits(reader.page, `${screen.name}-pseudo-${width}`));
  }
  return faults;
}
