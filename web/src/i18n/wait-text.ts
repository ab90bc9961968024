import type { I18n } from "@lingui/core";
import { t } from "@lingui/core/macro";

/** The time until then, rounded up: in minutes, above 90 minutes in hours, above 48 hours in days. */
export function waitText(iso: string, now: number, i18n: I18n): string {
  const minutes = Math.max(1, Math.ceil((Date.parse(iso) - now) / 60_000));
  const hours = Math.ceil(minutes / 60);
  const days = Math.ceil(hours / 24);
  if (minutes <= 90) return t(i18n)`${minutes} min`;
  return hours <= 48 ? t(i18n)`${hours} h` : t(i18n)`${days} days`;
}
