/** The characters of these keys on most keyboards, Japanese ones too. */
const signs: Record<string, string> = { Slash: "/?", Comma: ",<", Period: ".>" };
const wideSigns: Record<string, string> = { "　": " ", "、": ",", "。": ".", "・": "/" };

/** With an IME active, browsers report "Process" (or a full-width letter) and only the code identifies the key. */
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
