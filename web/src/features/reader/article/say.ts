import { i18n } from "@lingui/core";
import { toApiError } from "@/data/api-error";
import { errorText } from "@/i18n/error-words";
import { showToast } from "@/ui/toasts";

/** A refusal that has no place of its own in the article. */
export function say(cause: unknown): void {
  const { says, remedy } = errorText(toApiError(cause), i18n);
  showToast([says, remedy].filter(Boolean).join(" "));
}
