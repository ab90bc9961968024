import { type CommandId, commandById } from "./commands";
import { adoptEarlyKeys, holdPaste, holdPress } from "./held";
import { type KeyMap, liveKeys } from "./keymap";
import { producedKey } from "./produced-key";

const pressedBySpace = "button,summary,audio,video,[role=menuitem],[role=menuitemradio]";
const pressedByEnter = `a[href],${pressedBySpace}`;
const typing =
  "input:not([type=checkbox],[type=radio],[type=button]),textarea,select,[contenteditable]";

/** Whether the keys belong to whatever has the focus and not to the reader. */
export function isForeign(event: KeyboardEvent): boolean {
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

/** Within this time the second key of a sequence follows the first, in ms. */
export const sequenceWindow = 1_000;

/** One press as the command table writes it: "j", "Shift+A", "?", "Space". */
export function pressName(event: Pick<KeyboardEvent, "key" | "code" | "shiftKey">): string {
  const key = producedKey(event);
  if (key === " ") return event.shiftKey ? "Shift+Space" : "Space";
  // With Caps Lock a letter is a capital without Shift; a sign says by itself that Shift made it.
  if (/^[a-z]$/i.test(key))
    return event.shiftKey ? `Shift+${key.toUpperCase()}` : key.toLowerCase();
  return event.shiftKey && key.length > 1 ? `Shift+${key}` : key;
}

/** What Shift makes of a digit differs between keyboards: the sign, or the digit with Shift. */
function digitName(event: KeyboardEvent): string {
  const digit = event.shiftKey && /^Digit([0-9])$/.exec(event.code);
  return digit ? `Shift+${digit[1]}` : "";
}

/** With Ctrl, or Cmd: these type nothing, so they hold in fields too. Empty when it is no such press. */
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
 * Runs commands from the live keys until the returned function is called. Our own matcher: libraries run the
 * second key of a sequence as a command too, and know nothing of input methods.
 */
export function listenForKeys(target: Window, run: (id: CommandId) => boolean): () => void {
  let bindings = bindingsOf(liveKeys());
  let begun = "";
  let begunAt = 0;

  const known = () => {
    if (bindings.map !== liveKeys()) bindings = bindingsOf(liveKeys());
    return bindings.commands;
  };
  /** The browser keeps its own: reload, its tabs, what an input method composes. */
  const isOurs = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, isComposing } = event;
    if (isComposing || modifiers.has(key)) return false;
    const modified = modifiedName(event);
    if (modified || /^F\d+$/.test(key)) return known().has(modified || pressName(event));
    return !ctrlKey && !metaKey && !altKey;
  };
  // Before anybody else hears of it: a field that has the focus still may be what is left behind.
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
    const before = begun !== "" && event.timeStamp - begunAt < sequenceWindow ? `${begun} ` : "";
    begun = "";
    const id =
      commands.get(before + press) ?? commands.get(press) ?? commands.get(digitName(event));
    if (before === "" && bindings.beginnings.has(press)) {
      begun = press;
      begunAt = event.timeStamp;
    } else if (id && (commandById(id).repeats || !event.repeat) && run(id)) {
      event.preventDefault();
    }
  };
  target.addEventListener("keydown", onEarly, true);
  target.addEventListener("paste", onPaste, true);
  target.addEventListener("keydown", onKeyDown);
  adoptEarlyKeys();
  return () => {
    target.removeEventListener("keydown", onEarly, true);
    target.removeEventListener("paste", onPaste, true);
    target.removeEventListener("keydown", onKeyDown);
  };
}
