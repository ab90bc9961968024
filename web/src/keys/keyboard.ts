import { type CommandId, repeatingCommands } from "./commands";
import { adoptEarlyKeys, holdPaste, holdPress } from "./held";
import { type KeyMap, liveKeys } from "./keymap";
import { producedKey } from "./produced-key";

const pressedBySpace = "button,summary,audio,video,[role=menuitem],[role=menuitemradio]";
const pressedByEnter = `a[href],${pressedBySpace}`;
const typing =
  "input:not([type=checkbox],[type=radio],[type=button]),textarea,select,[contenteditable]";

/** Whether a key belongs to the element with the focus and not to the shortcuts. */
function isForeign(event: KeyboardEvent): boolean {
  if (event.isComposing || event.defaultPrevented) return true;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest(typing)) return true;
  if (document.querySelector("dialog[open]")) return true;
  if (target?.closest("[role=menu]")) return true;
  // Space and Enter press the control that has the focus.
  if (event.key === " ") return target?.closest(pressedBySpace) != null;
  return event.key === "Enter" && target?.closest(pressedByEnter) != null;
}

/** Milliseconds within which the second key of a sequence follows the first. */
export const sequenceWindow = 1_000;

/** A key as the command table writes it: "j", "Shift+A", "?", "Space". */
export function pressName(event: Pick<KeyboardEvent, "key" | "code" | "shiftKey">): string {
  const key = producedKey(event);
  if (key === " ") return event.shiftKey ? "Shift+Space" : "Space";
  // With Caps Lock letters are capitals without Shift; other characters imply Shift.
  if (/^[a-z]$/i.test(key))
    return event.shiftKey ? `Shift+${key.toUpperCase()}` : key.toLowerCase();
  return event.shiftKey && key.length > 1 ? `Shift+${key}` : key;
}

/** Shift with a digit gives different characters on different keyboards. */
function digitName(event: KeyboardEvent): string {
  const digit = event.shiftKey && /^Digit([0-9])$/.exec(event.code);
  return digit ? `Shift+${digit[1]}` : "";
}

/** A letter with Ctrl or Cmd, which types nothing and therefore works in fields too; empty for other keys. */
function modifiedName(event: KeyboardEvent): string {
  const { ctrlKey, metaKey, altKey, shiftKey, isComposing, defaultPrevented } = event;
  if (ctrlKey === metaKey || altKey || shiftKey || isComposing || defaultPrevented) return "";
  const key = producedKey(event);
  const isLetter = /^[a-z]$/i.test(key) && !document.querySelector("dialog[open]");
  return isLetter ? `Mod+${key.toUpperCase()}` : "";
}

const modifiers = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock"]);

interface Bindings {
  map: KeyMap;
  commands: ReadonlyMap<string, CommandId>;
  beginnings: ReadonlySet<string>;
}

function bindingsOf(map: KeyMap): Bindings {
  const all = [...map].flatMap(([id, keys]) => keys.map((one) => [one, id] as const));
  const beginnings = all.map(([keys]) => keys.split(" ")).filter((presses) => presses.length > 1);
  return {
    map,
    commands: new Map(all),
    beginnings: new Set(beginnings.map(([first]) => first ?? "")),
  };
}

/**
 * Runs commands by the live key map until the returned function is called. Our own matcher: libraries run the second key
 * of a sequence as a command too, and ignore input methods.
 */
export function listenForKeys(target: Window, run: (id: CommandId) => boolean): () => void {
  let bindings = bindingsOf(liveKeys());
  let firstKey = "";
  let firstKeyAt = 0;

  const known = () => {
    if (bindings.map !== liveKeys()) bindings = bindingsOf(liveKeys());
    return bindings.commands;
  };
  /** Leaves the browser its own keys, and input methods theirs. */
  const isOurs = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, isComposing } = event;
    if (isComposing || modifiers.has(key)) return false;
    const modified = modifiedName(event);
    if (modified || /^F\d+$/.test(key)) return known().has(modified || pressName(event));
    return !ctrlKey && !metaKey && !altKey;
  };
  // In the capture phase: the element with the focus may be about to go.
  const onEarly = (event: KeyboardEvent) => {
    if (!isOurs(event) || !holdPress(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const onPaste = (event: ClipboardEvent) => {
    if (!holdPaste(event.clipboardData?.getData("text") ?? "")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Shift") return;
    const modified = modifiedName(event);
    if (modified === "" && isForeign(event)) return;
    const commands = known();
    const press = modified || pressName(event);
    const before =
      firstKey !== "" && event.timeStamp - firstKeyAt < sequenceWindow ? `${firstKey} ` : "";
    firstKey = "";
    const id =
      commands.get(before + press) ?? commands.get(press) ?? commands.get(digitName(event));
    if (before === "" && bindings.beginnings.has(press)) {
      firstKey = press;
      firstKeyAt = event.timeStamp;
    } else if (id && (repeatingCommands.has(id) || !event.repeat) && run(id)) {
      event.preventDefault();
    }
  };
  const ended = new AbortController();
  const { signal } = ended;
  target.addEventListener("keydown", onEarly, { capture: true, signal });
  target.addEventListener("paste", onPaste, { capture: true, signal });
  target.addEventListener("keydown", onKeyDown, { signal });
  adoptEarlyKeys();
  return () => ended.abort();
}
