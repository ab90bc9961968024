import { useLingui } from "@lingui/react/macro";
import type { ItemSummary } from "@/data/types";
import { absoluteTime, relativeTime, shortTime } from "@/i18n/format";
import { useNow } from "@/i18n/use-now";

interface Props {
  item: Pick<ItemSummary, "publishedAt" | "isDateEstimated" | "offer">;
  /** For the narrow column of a row. */
  isShort?: boolean;
}

/** Relative, with the absolute time as tooltip; "about" when the publisher gave none. */
export function ItemTime({ item, isShort = false }: Props) {
  const { t, i18n } = useLingui();
  const now = useNow();
  const when = (isShort ? shortTime : relativeTime)(item.publishedAt, now, i18n.locale);
  // Of what a watch has found it is when it was seen.
  const isEstimated = item.isDateEstimated && !item.offer;
  const absolute = absoluteTime(item.publishedAt, i18n.locale);
  return (
    <time
      dateTime={item.publishedAt}
      title={isEstimated ? t`${absolute} (estimated; no publication date)` : absolute}
    >
      {!isEstimated ? when : isShort ? `≈ ${when}` : t`about ${when}`}
    </time>
  );
}
