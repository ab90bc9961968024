import { afterEach, describe, expect, it } from "vitest";
import { setSettings } from "@/data/settings";
import { commandIds, readerKeys } from "./commands";
import { collide, keysOf, mapOf, type OwnKeys, setOwnKeys } from "./keymap";

afterEach(() => {
  setOwnKeys({});
  void setSettings({ keymap: "reader" });
});

const bound = (preset: "reader" | "ldr" | "none", own: OwnKeys = {}) =>
  [...mapOf(preset, own).values()].flat();

describe("the presets", () => {
  it.each(["reader", "ldr", "none"] as const)("%s gives each key to one command", (preset) => {
    const keys = bound(preset);
    for (const [at, one] of keys.entries()) {
      expect(keys.slice(at + 1).filter((other) => collide(one, other))).toEqual([]);
    }
  });

  it("leaves no command of Reader without a key in LDR", () => {
    const map = mapOf("ldr", {});
    for (const id of commandIds) {
      if (readerKeys[id].length > 0) expect(map.get(id), id).not.toEqual([]);
    }
  });

  it("has the pins of Livedoor Reader in LDR: p puts aside, o opens, and neither stars", () => {
    const ldr = mapOf("ldr", {});
    const commandOf = (key: string) => [...ldr].find(([, keys]) => keys.includes(key))?.[0];
    expect([commandOf("p"), commandOf("o")]).toEqual(["item.pin", "pins.open"]);
  });

  it("keeps in and out when the keys are off, and nothing that types", () => {
    expect(bound("none").sort()).toEqual(expect.arrayContaining(["Enter", "Escape"]));
    expect(bound("none").filter((key) => key.length === 1 || key.includes(" "))).toEqual([]);
  });
});

describe("own keys", () => {
  it("take what they need from the preset, sequences too", () => {
    const map = mapOf("reader", { "item.star": ["g"], theme: ["j"] });
    expect(map.get("item.star")).toEqual(["g"]);
    expect(map.get("go.all")).toEqual([]);
    expect(map.get("item.next")).toEqual([]);
    expect(map.get("theme")).toEqual(["j"]);
  });

  it("live on this device, beside the person's preset", () => {
    void setSettings({ keymap: "ldr" });
    expect(keysOf("item.star")).toEqual(["Shift+S"]);
    setOwnKeys({ "item.star": ["x"] });
    expect(keysOf("item.star")).toEqual(["x"]);
    void setSettings({ keymap: "none" });
    expect(keysOf("item.star")).toEqual([]);
  });

  it("of a command that is no more take nothing", () => {
    expect(mapOf("ldr", { "starred.open": ["o"] } as OwnKeys).get("pins.open")).toEqual(["o"]);
  });

  it("that cannot be read are none", () => {
    localStorage.setItem("ruri.keys", "{");
    expect(keysOf("item.next")).toEqual(["j"]);
  });
});

it.each([
  ["a", "a", true],
  ["g", "g a", true],
  ["g a", "g", true],
  ["g a", "g b", false],
  ["Shift+A", "a", false],
])("%s and %s: %s", (a, b, want) => expect(collide(a, b)).toBe(want));
