import { plural, t } from "@lingui/core/macro";
import { openPins, restorePins } from "@/data/pins";
import { showToast, showUndo } from "@/ui/toasts";

/** The command "pins.open", loaded when somebody uses it. */
export function run(): void {
  const { opened, blocked } = openPins();
  const count = opened.length;
  if (count === 0 && blocked === 0) {
    showToast(t`Nothing is pinned yet.`);
    return;
  }
  const said = t`${plural(count, { one: "# pinned item opened.", other: "# pinned items opened." })}`;
  const refused = t`${plural(blocked, {
    one: "Your browser blocked # tab, which stays pinned.",
    other: "Your browser blocked # tabs, which stay pinned.",
  })} Allow pop-ups for this page, then try again.`;
  const text = [count > 0 && said, blocked > 0 && refused].filter(Boolean).join(" ");
  if (count > 0) showUndo(text, t`Undo`, () => restorePins(opened));
  else showToast(text);
}
