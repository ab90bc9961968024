import type { I18n } from "@lingui/core";
import { toApiError } from "@/data/api-error";
import { errorText } from "./error-words";

/** Sentences one after the other, as the language sets them: Japanese ones need no blank between. */
export function sentences(locale: string, ...all: (string | null | undefined)[]): string {
  return all.filter(Boolean).join(locale === "ja" ? "" : " ");
}

/** Why a request failed and what helps, in one text. */
export function problemText(cause: unknown, i18n: I18n): string {
  const error = toApiError(cause);
  const { says, remedy } = errorText(error, i18n);
  return sentences(i18n.locale, says, remedy);
}

/** What is wrong with single fields, by the field's name in the request. */
export function fieldTexts(cause: unknown): ReadonlyMap<string, string> {
  const details = toApiError(cause).problem.details ?? [];
  return new Map(details.map(({ field, message }) => [field, message]));
}
