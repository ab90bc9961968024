import type { I18n } from "@lingui/core";
import { toApiError } from "@/data/api-error";
import { errorText } from "./error-text";

/** Joins sentences; Japanese ones without spaces. */
export function sentences(locale: string, ...all: (string | false | null | undefined)[]): string {
  return all.filter(Boolean).join(locale === "ja" ? "" : " ");
}

/** Why a request failed, and what helps. */
export function problemText(cause: unknown, i18n: I18n): string {
  const error = toApiError(cause);
  const { message, action } = errorText(error, i18n);
  return sentences(i18n.locale, message, action);
}

/** Messages about single fields, by the name of the field in the request. */
export function fieldTexts(cause: unknown): ReadonlyMap<string, string> {
  const details = toApiError(cause).problem.details ?? [];
  return new Map(details.map(({ field, message }) => [field, message]));
}
