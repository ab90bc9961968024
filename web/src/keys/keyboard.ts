import { type CommandId, commandById } from "./commands";
import { type KeyMap, liveKeys } from "./keymap";

const pressedBySpace = "button,summary,audio,video,[role=menuitem],[role=menuitemradio]";
const pressedByEnter = `a[href],${pressedBySpace}`;
const typing =
  "input:not([type=checkbox],[type=radio],[type=button]),textarea,select,[contenteditable]";

/** Where these signs lie on most keyboards, Japanese ones too. */
const signs: Record<string, string> = { Slash: "/?", Comma: ",<", Period: ".>" };
const wideSigns: Record<string, string> = { "　": " ", "、": ",", "。": ".", "・": "/" };

/** With an IME on, a browser reports "Process" (or a full-width letter) and only the code tells the key. */
export function producedKey(event: Pick<KeyboardEvent, "key" | "code" | "shiftKey">): string {
  const { key, code } = event;
  const wide = key.length === 1 && key >= "！" && key <= "～";
  if (wide) return String.fromCharCode(key.charCodeAt(0) - 0xfee0);
  if (key in wideSigns) return wideSigns[key] ?? key;
  if (key !== "Process" && key !== "Unidentified") return key;
  if (/^Key[A-Z]$/.test(code)) {
    const letter = code.slice(3);
    return event.shiftKey ? letter : letter.toLowerCase();
  }
  if (/^Digit[0-9]$/.test(code)) return code.slice(5);
  if (code in signs) return signs[code]?.[event.shiftKey ? 1 : 0] ?? key;
  if (code === "Space") return " ";
  return code === "Enter" || code === "Escape" ? code : key;
}

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

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Shift") return;
    const modified = modifiedName(event);
    if (modified === "" && isForeign(event)) return;
    if (bindings.map !== liveKeys()) bindings = bindingsOf(liveKeys());
    const press = modified || pressName(event);
    const before = begun !== "" && event.timeStamp - begunAt < sequenceWindow ? `${begun} ` : "";
    begun = "";
    const known = bindings.commands;
    const id = known.get(before + press) ?? known.get(press) ?? known.get(digitName(event));
    if (before === "" && bindings.beginnings.has(press)) {
      begun = press;
      begunAt = event.timeStamp;
    } else if (id && (commandById(id).repeats || !event.repeat) && run(id)) {
      event.preventDefault();
    }
  };
  target.addEventListener("keydown", onKeyDown);
  return () => target.removeEventListener("keydown", onKeyDown);
}
