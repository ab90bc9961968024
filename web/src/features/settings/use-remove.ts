import { useLingui } from "@lingui/react/macro";
import { removeLater } from "@/data/account/removals";
import { showToast, showUndo } from "@/ui/toasts";
import { leaveRow } from "./parts";
import { useRefusal } from "./use-save";

/** Removes what has a row: gone from the page at once, from the server when the time to undo is over. */
export function useRemove() {
  const { t } = useLingui();
  const refuse = useRefusal();
  return (path: string, text: string, button: Element) => {
    leaveRow(button);
    const undo = removeLater({ key: path, path, onRefused: refuse });
    showUndo(text, t`Undo`, () => {
      if (!undo()) showToast(t`This can no longer be undone.`);
    });
  };
}
