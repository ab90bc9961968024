import { i18n } from "@lingui/core";
import { plural, t } from "@lingui/core/macro";
import { toApiError } from "@/data/api-error";
import { openStarred } from "@/data/open-starred";
import { errorText } from "@/i18n/error-words";
import { showToast } from "@/ui/toasts";

/** The command "starred.open", loaded when somebody uses it. */
export async function run(): Promise<void> {
  try {
    const { opened, blocked } = await openStarred();
    if (blocked > 0) {
      showToast(
        t`${plural(blocked, {
          one: "Your browser kept # tab closed.",
          other: "Your browser kept # tabs closed.",
        })} Let this page open windows.`,
      );
    } else if (opened === 0) showToast(t`Nothing is starred yet.`);
  } catch (cause) {
    showToast(errorText(toApiError(cause), i18n).says);
  }
}
