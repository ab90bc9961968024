import { useLingui } from "@lingui/react/macro";
import type { Feed } from "@/data/types";
import { clockTime } from "@/i18n/clock-time";
import { checksText } from "@/i18n/interval-text";
import { reasonFor } from "@/i18n/next-check";
import { useNow } from "@/i18n/use-now";

/** When and why a feed is checked, for a tooltip. */
export function useCheckTimes(feed: Feed | undefined): string | undefined {
  const { t, i18n } = useLingui();
  const now = useNow();
  if (!feed) return undefined;
  const time = (iso: string | null) => (iso ? clockTime(iso, now, i18n.locale) : null);
  const checked = time(feed.lastCheckedAt);
  const next = time(feed.nextCheckAt);
  const reason = reasonFor(feed);
  const isUsual = ["default", "asked"].includes(feed.nextCheckReason.code);
  const why = isUsual
    ? checksText(feed, i18n)
    : typeof reason === "string"
      ? reason
      : i18n._(reason);
  return [checked && t`Checked ${checked}`, next && t`next check ${next}`, next && why]
    .filter(Boolean)
    .join(" · ");
}
