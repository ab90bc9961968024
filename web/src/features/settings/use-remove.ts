import { useLingui } from "@lingui/react/macro";
import { removeLater } from "@/data/account/removals";
import { showError } from "@/ui/show-error";
import { showToast } from "@/ui/toasts";
import { offerUndo } from "@/ui/undo";
import { leaveRow } from "./parts";

/** Removes what a row shows: from the page at once, from the server when the time to undo is over. */
export function useRemove() {
  const { t } = useLingui();
  return (path: string, text: string, button: Element) => {
    leaveRow(button);
    const undo = removeLater(path, showError);
    offerUndo(text, () => {
      if (!undo()) showToast(t`This can no longer be undone.`);
    });
  };
}
