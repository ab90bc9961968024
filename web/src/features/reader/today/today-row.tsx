import { useLingui } from "@lingui/react/macro";
import { Play } from "lucide-react";
import type { ReactNode } from "react";
import { outward } from "@/data/base";
import { feedTitle } from "@/data/feeds";
import { useFlags } from "@/data/flags";
import { readerPath } from "@/data/routes";
import { stoppedAt, usePart } from "@/data/stopped";
import type { Section } from "@/data/today";
import type { Feed, ItemId, ItemSummary } from "@/data/types";
import { absoluteTime, shortTime } from "@/i18n/format";
import { itemName } from "@/i18n/item-name";
import { money, shareChange } from "@/i18n/money";
import { number } from "@/i18n/numbers";
import { textLang } from "@/i18n/text-lang";
import { useNow } from "@/i18n/use-now";
import { FeedIcon } from "@/ui/feed-icon";
import { isPlainClick } from "@/ui/link";
import { StateDot } from "@/ui/state-dot";
import { MinutesLeft } from "../article/minutes-left";
import { playTime } from "../article/play-time";
import { ItemPicture } from "../item-picture";

interface Props {
  item: ItemSummary;
  kind: Section["kind"];
  feed: Feed | undefined;
  onOpen: (id: ItemId) => void;
  onCursor?: ((id: ItemId) => void) | undefined;
}

/** One item in a section of Today. */
export function TodayRow({ item, kind, feed, onOpen, onCursor }: Props) {
  const { t, i18n } = useLingui();
  const { isRead } = useFlags(item);
  const name = feed ? feedTitle(feed) : item.feedTitle;
  const title = itemName(item);
  const isDrop = kind === "priceDrops";
  return (
    <a
      className="today-row"
      href={outward(readerPath({ kind: "today" }, "all", item.id))}
      data-item={item.id}
      data-read={isRead}
      data-kind={isDrop ? kind : undefined}
      onFocus={() => onCursor?.(item.id)}
      onClick={(event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        onOpen(item.id);
      }}
    >
      {isDrop ? (
        <ItemPicture item={item} instead={<FeedIcon url={feed?.iconUrl} name={name} />} />
      ) : (
        <>
          <span className="mark">
            {kind === "episodes" && !isRead ? (
              <Play size={12} aria-hidden="true" />
            ) : (
              <StateDot id={item.id} />
            )}
          </span>
          <FeedIcon url={feed?.iconUrl} name={name} />
        </>
      )}
      <span className="words">
        {!isRead && <span className="sr-only">{t`Unread:`} </span>}
        <b dir="auto" lang={textLang(item.lang, title, i18n.locale)}>
          {title}
        </b>
        <span className="feed" dir="auto" lang={textLang(feed?.language ?? "", name, i18n.locale)}>
          {name}
        </span>
      </span>
      <Figure item={item} kind={kind} />
    </a>
  );
}

/** What stands at the end: how long ago, how long it takes, how popular it is, or what it costs now. */
function Figure({ item, kind }: Pick<Props, "item" | "kind">): ReactNode {
  const { t, i18n } = useLingui();
  const now = useNow();
  const part = usePart(item.id);
  const { locale } = i18n;
  const { offer, readingMinutes: minutes, bookmarkCount } = item;
  if (kind === "priceDrops" && offer?.price != null) {
    const { price, before, currency } = offer;
    return (
      <>
        <span className="price">
          {before !== null && <s>{money(before, currency, locale)}</s>}{" "}
          <b>{money(price, currency, locale)}</b>
        </span>
        <span className="figure down">{before !== null && shareChange(before, price, locale)}</span>
      </>
    );
  }
  if (kind === "continued") {
    const { seconds = 0 } = stoppedAt(item.id) ?? {};
    return (
      <span className="figure" title={t`${part}% read`}>
        {part === 0 && seconds > 0 ? (
          playTime(seconds)
        ) : minutes !== null ? (
          <MinutesLeft minutes={minutes} part={part} />
        ) : (
          `${part}%`
        )}
      </span>
    );
  }
  if (kind === "longReads" && minutes !== null)
    return <span className="figure">{t`${minutes} min`}</span>;
  if (kind === "popular" && bookmarkCount !== null)
    return (
      <span className="figure" title={t`Hatena bookmarks: ${bookmarkCount}`}>
        {number(bookmarkCount, locale)}
      </span>
    );
  return (
    <time
      className="figure"
      dateTime={item.publishedAt}
      title={absoluteTime(item.publishedAt, locale)}
    >
      {shortTime(item.publishedAt, now, locale)}
    </time>
  );
}
