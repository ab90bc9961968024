import { afterEach, describe, expect, it, vi } from "vitest";
import { namedCommands } from "./command-names";
import { commandIds, readerKeys } from "./commands";
import { listenForKeys } from "./keyboard";
import { producedKey } from "./produced-key";

let stop = () => {};

function listen() {
  const run = vi.fn((_id: string) => true);
  stop = listenForKeys(window, run);
  return run;
}

function press(init: KeyboardEventInit, target: EventTarget = document.body) {
  const event = new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init });
  target.dispatchEvent(event);
  return event;
}

afterEach(() => {
  stop();
  document.body.replaceChildren();
});

describe("keys", () => {
  it.each([
    ["j", { key: "j", code: "KeyJ" }, "item.next"],
    ["capital A", { key: "A", code: "KeyA", shiftKey: true }, "list.markReadAndGo"],
    ["question mark", { key: "?", code: "Slash", shiftKey: true }, "help"],
    ["question mark on a layout without shift", { key: "?", code: "Minus" }, "help"],
    ["space", { key: " ", code: "Space" }, "page.down"],
    ["shift space", { key: " ", code: "Space", shiftKey: true }, "page.up"],
    ["escape", { key: "Escape", code: "Escape" }, "back"],
    ["IME on: Process", { key: "Process", code: "KeyJ" }, "item.next"],
    [
      "IME on: Process with shift",
      { key: "Process", code: "KeyA", shiftKey: true },
      "list.markReadAndGo",
    ],
    ["IME on: full-width letter", { key: "ｓ", code: "KeyS" }, "item.star"],
    ["IME on: full-width question mark", { key: "？", code: "Slash", shiftKey: true }, "help"],
    ["IME on: full-width space", { key: "　", code: "Space" }, "page.down"],
  ])("%s", (_name, init, command) => {
    const run = listen();
    const event = press(init);
    expect(run.mock.calls).toEqual([[command]]);
    expect(event.defaultPrevented).toBe(true);
  });

  it("reads a sequence", () => {
    const run = listen();
    press({ key: "g", code: "KeyG" });
    press({ key: "u", code: "KeyU" });
    expect(run.mock.calls.at(-1)).toEqual(["go.unread"]);
  });

  it("does not take the second key of a sequence for a command of its own", () => {
    const run = listen();
    press({ key: "g", code: "KeyG" });
    press({ key: "s", code: "KeyS" });
    expect(run.mock.calls).toEqual([["go.starred"]]);
  });

  it.each([
    ["while composing", { key: "j", code: "KeyJ", isComposing: true }],
    ["with Ctrl", { key: "j", code: "KeyJ", ctrlKey: true }],
    ["with Meta", { key: "r", code: "KeyR", metaKey: true }],
    ["with Alt", { key: "s", code: "KeyS", altKey: true }],
  ])("is deaf %s", (_name, init) => {
    const run = listen();
    press(init);
    expect(run).not.toHaveBeenCalled();
  });

  it.each(["input", "textarea", "select"])("is deaf in a %s", (tag) => {
    const run = listen();
    const field = document.body.appendChild(document.createElement(tag));
    press({ key: "j", code: "KeyJ" }, field);
    expect(run).not.toHaveBeenCalled();
  });

  it("leaves Space to a button that has the focus, but not j", () => {
    const run = listen();
    const button = document.body.appendChild(document.createElement("button"));
    expect(press({ key: " ", code: "Space" }, button).defaultPrevented).toBe(false);
    expect(run).not.toHaveBeenCalled();
    press({ key: "j", code: "KeyJ" }, button);
    expect(run).toHaveBeenCalledWith("item.next");
  });

  it("does not repeat a toggle while its key is held", () => {
    const run = listen();
    press({ key: "s", code: "KeyS", repeat: true });
    expect(run).not.toHaveBeenCalled();
    press({ key: "j", code: "KeyJ", repeat: true });
    expect(run).toHaveBeenCalledWith("item.next");
  });

  it("leaves the key to the browser when nobody runs the command", () => {
    stop = listenForKeys(window, () => false);
    expect(press({ key: " ", code: "Space" }).defaultPrevented).toBe(false);
  });
});

describe("the command table", () => {
  it("gives each key to one command", () => {
    const keys: string[] = Object.values(readerKeys).flat();
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("names each command once", () => {
    expect(namedCommands.map(([id]) => id).sort()).toEqual([...commandIds].sort());
  });

  it("forgets a beginning that nothing follows", () => {
    const run = listen();
    press({ key: "g", code: "KeyG" });
    press({ key: "x", code: "KeyX" });
    press({ key: "s", code: "KeyS" });
    expect(run.mock.calls).toEqual([["item.star"]]);
  });

  it("takes a letter under Caps Lock for the small one", () => {
    const run = listen();
    press({ key: "J", code: "KeyJ" });
    expect(run.mock.calls).toEqual([["item.next"]]);
  });

  it("has no sequence whose first key is a command", () => {
    const keys: string[] = Object.values(readerKeys).flat();
    for (const sequence of keys.filter((one) => one.includes(" "))) {
      expect(keys).not.toContain(sequence.split(" ")[0]);
    }
  });
});

describe("producedKey", () => {
  it("keeps what the layout produced", () => {
    expect(producedKey({ key: "j", code: "KeyC", shiftKey: false })).toBe("j");
  });
});
