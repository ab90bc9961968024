import { useLingui } from "@lingui/react/macro";
import { toApiError } from "@/data/api-error";
import { getSetting, setSettings } from "@/data/settings";
import type { Settings } from "@/data/types";
import { errorText } from "@/i18n/error-words";
import { showToast, showUndo } from "@/ui/toasts";

/** Says in a toast why something was refused, and what helps. */
export function useRefusal(): (cause: unknown) => void {
  const { i18n } = useLingui();
  return (cause) => {
    const { says, remedy } = errorText(toApiError(cause), i18n);
    showToast(`${says} ${remedy}`.trim());
  };
}

/**
 * Shows a toast that takes the deed back. The deed may still be refused: then there is nothing to take back, and
 * undoing goes on to the deed before.
 */
export function useUndoable(): (text: string, deed: Promise<unknown>, undo: () => void) => void {
  const { t } = useLingui();
  const refuse = useRefusal();
  return (text, deed, undo) => {
    const forget = showUndo(text, t`Undo`, undo);
    deed.catch((cause) => {
      forget();
      refuse(cause);
    });
  };
}

/** Changes one setting at once. A refusal puts the old value back (data/settings.ts) and says why. */
export function useSave() {
  const refuse = useRefusal();
  const undoable = useUndoable();
  return <K extends keyof Settings>(name: K, value: Settings[K], text: string) => {
    const old = getSetting(name);
    if (value === old) return;
    undoable(text, setSettings({ [name]: value }), () => {
      setSettings({ [name]: old }).catch(refuse);
    });
  };
}
