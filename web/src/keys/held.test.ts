import { afterEach, beforeEach, expect, it, vi } from "vitest";
import "./deliver"; // as the browser has it by then
import { dropHeldKeys, holdKeys } from "./held";
import { listenForKeys } from "./keyboard";

const run = vi.fn((_id: string) => true);
let stop = () => {};

function press(key: string, more: KeyboardEventInit = {}): boolean {
  const code = /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : key;
  const event = new KeyboardEvent("keydown", {
    key,
    code,
    bubbles: true,
    cancelable: true,
    ...more,
  });
  (document.activeElement ?? document.body).dispatchEvent(event);
  return event.defaultPrevented;
}
const type = (text: string) => {
  for (const key of text) press(key);
};
/** Lets all that was held arrive. */
async function arrived(): Promise<void> {
  for (let turn = 0; turn < 40; turn += 1) await new Promise((done) => setTimeout(done));
}

function field(tag: "input" | "textarea" = "input") {
  const form = document.body.appendChild(document.createElement("form"));
  const made = form.appendChild(document.createElement(tag));
  const sent = vi.fn((event: Event) => event.preventDefault());
  form.addEventListener("submit", sent);
  return { made, sent };
}

beforeEach(() => {
  stop = listenForKeys(window, run);
});
afterEach(() => {
  stop();
  dropHeldKeys();
  run.mockClear();
  document.body.replaceChildren();
});

it("keeps what is typed ahead for the field that is on its way, in order", async () => {
  const { made, sent } = field();
  const release = holdKeys(vi.fn());
  type("statsx");
  press("Backspace");
  press("Enter");
  made.focus();
  expect(made.value, "not before it is there").toBe("");
  release();
  type("!");
  await arrived();
  expect(made.value).toBe("stats!");
  expect(sent).toHaveBeenCalledTimes(1);
  expect(run, "no key was a shortcut").not.toHaveBeenCalled();
  press("t", {});
  expect(run, "and in the field none is").not.toHaveBeenCalled();
  made.blur();
  press("t");
  expect(run.mock.calls, "afterwards they work as usual").toEqual([["theme"]]);
});

it("gives keys to the screen that was opened, as its shortcuts", async () => {
  const release = holdKeys(vi.fn());
  type("ga");
  expect(run).not.toHaveBeenCalled();
  release();
  await arrived();
  expect(run.mock.calls).toEqual([["go.all"]]);
});

it("waits again for what a held key opens", async () => {
  const { made } = field();
  let release = () => {};
  run.mockImplementation((id) => {
    if (id === "feed.add") release = holdKeys(vi.fn());
    return true;
  });
  const first = holdKeys(vi.fn());
  type("ahttp");
  first();
  await arrived();
  expect(run.mock.calls).toEqual([["feed.add"]]);
  made.focus();
  release();
  await arrived();
  expect(made.value).toBe("http");
  run.mockImplementation(() => true);
});

it("takes keys that a field behind still has the focus for", async () => {
  const behind = field().made;
  const { made } = field();
  behind.focus();
  const release = holdKeys(vi.fn());
  expect(press("s")).toBe(true);
  made.focus();
  release();
  await arrived();
  expect([behind.value, made.value]).toEqual(["", "s"]);
});

it("leaves the browser its own keys, and takes no key that is held down", async () => {
  const { made } = field();
  const release = holdKeys(vi.fn());
  expect(press("F5")).toBe(false);
  expect(press("r", { ctrlKey: true })).toBe(false);
  expect(press("k", { ctrlKey: true }), "a shortcut").toBe(true);
  press("a");
  press("a", { repeat: true });
  made.focus();
  release();
  await arrived();
  expect(made.value).toBe("a");
});

it("cancels the opening with Escape, and forgets what was typed", async () => {
  const { made } = field();
  const cancel = vi.fn();
  const release = holdKeys(cancel);
  type("st");
  press("Escape");
  expect(cancel).toHaveBeenCalledTimes(1);
  release();
  made.focus();
  await arrived();
  expect([made.value, run.mock.calls]).toEqual(["", []]);
});

it("frees the keys when nothing has come for long", () => {
  vi.useFakeTimers();
  holdKeys(vi.fn());
  type("s");
  vi.advanceTimersByTime(20_000);
  press("t");
  expect(run.mock.calls).toEqual([["theme"]]);
  vi.useRealTimers();
});

it("takes over what was pressed before the program was there", async () => {
  stop();
  const early = vi.fn();
  window.early = {
    pressed: [..."gs"].map((key) => new KeyboardEvent("keydown", { key })),
    stop: early,
  };
  stop = listenForKeys(window, run);
  await arrived();
  expect(run.mock.calls).toEqual([["go.starred"]]);
  expect(early).toHaveBeenCalledTimes(1);
  expect(window.early).toBeUndefined();
});
