import { plural, t } from "@lingui/core/macro";
import { openPins, restorePins } from "@/data/mutations/pins";
import { showToast, showUndo } from "@/ui/toasts";

/** The command "pins.open", loaded when it is used. */
export function run(): void {
  const { opened, blocked } = openPins();
  const count = opened.length;
  if (count === 0 && blocked === 0) {
    showToast(t`No pinned articles`);
    return;
  }
  const done = t`${plural(count, { one: "# pinned article opened", other: "# pinned articles opened" })}`;
  const notOpened = t`${plural(blocked, {
    one: "Your browser blocked # tab.",
    other: "Your browser blocked # tabs.",
  })} Allow pop-ups for this site and try again.`;
  const text = [count > 0 && done, blocked > 0 && notOpened].filter(Boolean).join(" ");
  if (count > 0) showUndo(text, () => restorePins(opened));
  else showToast(text);
}
