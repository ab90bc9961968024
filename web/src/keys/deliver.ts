import { producedKey } from "./produced-key";

export type Pressed = KeyboardEvent | { pasted: string };

/** Delivers a key to the element with the focus, with the default action of browsers. */
export function deliver(pressed: Pressed): void {
  const target = document.activeElement ?? document.body;
  const field =
    target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement ? target : null;
  if ("pasted" in pressed) {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pressed.pasted);
    const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    if (target.dispatchEvent(paste) && field) type(field, pressed.pasted);
    return;
  }
  const { code, shiftKey, ctrlKey, metaKey, repeat } = pressed;
  const key = producedKey(pressed);
  const how = { code, shiftKey, ctrlKey, metaKey, repeat, bubbles: true, cancelable: true };
  if (!target.dispatchEvent(new KeyboardEvent("keydown", { key, ...how }))) return;
  if (ctrlKey || metaKey) return;
  // The default actions.
  if (field && (key.length === 1 || key === "Backspace")) type(field, key);
  else if (key === "Enter" && target instanceof HTMLInputElement) target.form?.requestSubmit();
  else if (key === "Enter" && target instanceof HTMLElement) target.click();
}

function type(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  const { selectionStart: from, selectionEnd: to, value, maxLength } = field;
  if (from === null || to === null || field.readOnly) return;
  if (text === "Backspace") {
    const before = [...value.slice(0, from)].at(-1)?.length ?? 0;
    field.setRangeText("", from === to ? from - before : from, to, "end");
  } else {
    const room = maxLength < 0 ? text.length : maxLength - value.length + (to - from);
    field.setRangeText(text.slice(0, Math.max(0, room)), from, to, "end");
  }
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}
