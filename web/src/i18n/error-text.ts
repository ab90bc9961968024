import type { I18n, MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { ApiError } from "@/data/api-error";

interface PageError {
  message: MessageDescriptor;
  action?: MessageDescriptor;
}

/** Texts of the errors that the page raises itself. The server sends its own in the language of the page. */
export const pageErrors: Record<string, PageError> = {
  unreachable: {
    message: msg`The server cannot be reached. Nothing was changed.`,
    action: msg`Check your connection and try again.`,
  },
  not_saved: {
    message: msg`You are offline, and this is not saved on this device.`,
    action: msg`It loads automatically when you are online again.`,
  },
  not_searched: {
    message: msg`You are offline. Feeds can only be found with a connection.`,
  },
  passkey_cancelled: {
    message: msg`No passkey was used.`,
    action: msg`Try again, or sign in another way.`,
  },
  passkey_registered: { message: msg`This passkey is already registered.` },
  nothing_to_undo: { message: msg`This can no longer be undone.` },
  bad_answer: {
    message: msg`The server did not answer as expected.`,
    action: msg`Try again.`,
  },
};

/** What happened and what to do about it. Some messages have no action: then it is empty. */
export function errorText(error: ApiError, i18n: I18n): { message: string; action: string } {
  const { message, action = "" } = error.problem;
  const own = pageErrors[error.code];
  if (message && !own) return { message, action };
  const text = own ?? (pageErrors[error.status ? "bad_answer" : "unreachable"] as PageError);
  return { message: i18n._(text.message), action: text.action ? i18n._(text.action) : "" };
}
