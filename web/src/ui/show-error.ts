import { i18n } from "@lingui/core";
import { problemText } from "@/i18n/problem-text";
import { showToast } from "./toasts";

/** Shows why a request failed, and what helps, in a toast. */
export function showError(cause: unknown): void {
  showToast(problemText(cause, i18n));
}
