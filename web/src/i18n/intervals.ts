import type { I18n } from "@lingui/core";
import { t } from "@lingui/core/macro";

/** The intervals to choose from, in minutes; 0 is the default. */
export const intervals: readonly number[] = [
  0,
  ...Array.from({ length: 24 }, (_, at) => (at + 1) * 30),
];

export function intervalName(minutes: number, i18n: I18n): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (minutes === 0) return t(i18n)`Default`;
  if (hours === 0) return t(i18n)`${rest} min`;
  return rest === 0 ? t(i18n)`${hours} h` : t(i18n)`${hours} h ${rest} min`;
}
