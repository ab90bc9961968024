import { useLingui } from "@lingui/react/macro";
import { showToast } from "@/ui/toasts";

/** Copies what an element shows. Without HTTPS there is no clipboard: the text is selected, to be copied by hand. */
export function useCopy() {
  const { t } = useLingui();
  return async (text: string, shown: Element | null) => {
    try {
      await navigator.clipboard.writeText(text);
      showToast(t`Copied`);
    } catch {
      if (shown instanceof HTMLInputElement) shown.select();
      else if (shown) getSelection()?.selectAllChildren(shown);
      showToast(t`Could not copy. Copy the selected text.`);
    }
  };
}
