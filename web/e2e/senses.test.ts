// For people who see and bear less: with the system's own colours nothing is lost, and where motion is not wanted none
// runs, on any screen.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { takePicture } from "./harness/picture.ts";
import { artifacts } from "./harness/places.ts";
import type { Reader } from "./harness/reader.ts";
import { furnish, type Home, otherScreens, readerScreens } from "./harness/screens.ts";
import { openWorld, type World } from "./harness/world.ts";

const folder = join(artifacts, "forced");
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

test("no motion runs where none is wanted, and the system's colours lose nothing", async () => {
  await world.visit({ as: owner }, async (reader) => {
    reader.watch.expectStatus(404, 409, 422, 503);
    reader.watch.expect(/ERR_INTERNET_DISCONNECTED/);
    const faults: string[] = [];
    for (const screen of [...readerScreens(world, home, false), ...otherScreens(home)]) {
      await reader.page.emulateMedia({ forcedColors: "none" });
      await screen.open(reader);
      for (const one of await motion(reader)) faults.push(`${screen.name} moves: ${one}`);
      await reader.page.emulateMedia({ forcedColors: "active" });
      await reader.frames(2);
      await takePicture(reader.page, join(folder, `${screen.name}.png`));
      for (const one of await lost(reader)) faults.push(`${screen.name} loses: ${one}`);
      await screen.close?.(reader);
    }
    assert.deepEqual([...new Set(faults)], []);
  });
});

/** What runs longer than a hundredth of a second. */
function motion(reader: Reader): Promise<string[]> {
  return reader.page.evaluate(() =>
    document
      .getAnimations()
      .filter(({ effect, playState }) => {
        const { duration, iterations } = effect?.getComputedTiming() ?? {};
        return playState === "running" && (Number(duration) > 10 || iterations === Infinity);
      })
      .map(({ effect }) => {
        const target = (effect as KeyframeEffect | null)?.target;
        return `${target?.tagName.toLowerCase()}.${target?.className}`;
      }),
  );
}

/** States that were told by colour alone, fields and buttons without an edge, pictures drawn in the ground's colour. */
function lost(reader: Reader): Promise<string[]> {
  return reader.page.evaluate(() => {
    const faults: string[] = [];
    const name = (one: Element) =>
      `${one.tagName.toLowerCase()}.${one.getAttribute("class") ?? ""} "${(one.getAttribute("aria-label") ?? one.textContent ?? "").trim().slice(0, 40)}"`;
    const seen = [...document.querySelectorAll<HTMLElement>("body *")].filter((one) =>
      one.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
    );
    const look = (one: Element) => {
      const style = getComputedStyle(one);
      return [
        style.color,
        style.backgroundColor,
        style.borderTopColor,
        style.borderTopWidth,
        style.borderTopStyle,
        style.outlineStyle,
        style.fontWeight,
        style.textDecorationLine,
      ].join(" ");
    };
    for (const one of seen) {
      if (one.matches(".segments [aria-pressed=true], .segments :checked")) {
        const place = one.closest("label") ?? one;
        const other = [...(place.parentElement?.children ?? [])].find(
          (sibling) =>
            sibling !== place &&
            (sibling.getAttribute("aria-pressed") === "false" || sibling.matches("label")),
        );
        if (other && look(place) === look(other)) faults.push(`which is chosen: ${name(place)}`);
      }
      const isField =
        "input:not([type=checkbox], [type=radio], [type=range], .sr-only), select, textarea";
      if (one.matches(isField)) {
        const { borderTopWidth, borderTopStyle } = getComputedStyle(one);
        if (borderTopWidth === "0px" || borderTopStyle === "none")
          faults.push(`the edge of ${name(one)}`);
      }
      if (one.matches("dialog[open], .menu, .panel, .toast")) {
        const { borderTopWidth, borderTopStyle } = getComputedStyle(one);
        if (borderTopWidth === "0px" || borderTopStyle === "none")
          faults.push(`the edge of ${name(one).slice(0, 30)}`);
      }
    }
    // A dot, a bar or a switch that is only a ground is not drawn any more.
    for (const one of seen.filter((part) => part.matches(".dot, .meter i, .bar i, .switch"))) {
      const style = getComputedStyle(one);
      const box = one.getBoundingClientRect();
      if (box.width === 0 || box.height === 0) continue;
      const ground = getComputedStyle(document.body).backgroundColor;
      if (style.backgroundColor === ground && style.borderTopWidth === "0px")
        faults.push(`the ground of ${name(one)}`);
    }
    return faults;
  });
}
