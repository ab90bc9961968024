import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode, RefObject } from "react";
import { feedTitle } from "@/data/feeds";
import { readerPath } from "@/data/routes";
import { useTree } from "@/data/tree";
import type { Feed, ItemSummary } from "@/data/types";
import { dayTime } from "@/i18n/day-time";
import { absoluteTime } from "@/i18n/format";
import { headingName } from "@/i18n/item-name";
import { textLang } from "@/i18n/text-lang";
import { useNow } from "@/i18n/use-now";
import { Bookmarks } from "@/ui/bookmarks";
import { FeedIcon } from "@/ui/feed-icon";
import { Link } from "@/ui/link";
import { OriginalLink } from "../original-link";

interface Props {
  item: ItemSummary;
  feed: Feed | undefined;
  headingRef: RefObject<HTMLHeadingElement | null>;
  /** Null until the text is loaded. */
  minutes: number | null;
}

/** Where the item is from, and when; its title; and where else it is. */
export function Heading({ item, feed, headingRef, minutes }: Props) {
  const { i18n } = useLingui();
  const isUntitled = !item.title;
  const name = feed ? feedTitle(feed) : item.feedTitle;
  const title = headingName(item, name);
  const from = feed ? (
    <Link
      href={readerPath({ kind: "feed", id: feed.id })}
      lang={textLang(feed.language, name, i18n.locale)}
      dir="auto"
    >
      {name}
    </Link>
  ) : (
    name && <span dir="auto">{name}</span>
  );
  // What the heading names is not repeated above.
  const isFromFeed = isUntitled && !item.author;
  const { updatedAt } = item;
  const isUpdated = updatedAt !== null && updatedAt !== item.publishedAt;
  // Of what a watch has found it is when it was seen.
  const isEstimated = item.isDateEstimated && !item.offer;
  return (
    <>
      <div className="meta byline" lang={i18n.locale}>
        {name && <FeedIcon url={feed?.iconUrl} name={name} />}
        {!isFromFeed && from}
        {item.author && !isUntitled && (
          <span dir="auto" lang={textLang(item.lang, item.author, i18n.locale)}>
            {item.author}
          </span>
        )}
        <Time iso={item.publishedAt} isEstimated={isEstimated} />
        <Bookmarks item={item} />
        {minutes !== null && (
          <span>
            <Plural value={minutes} one="# min read" other="# min read" />
          </span>
        )}
      </div>
      <h1
        ref={headingRef}
        tabIndex={-1}
        className="title"
        data-untitled={isUntitled || undefined}
        dir="auto"
      >
        {isFromFeed && from ? from : <Original item={item}>{title}</Original>}
      </h1>
      {(isEstimated || isUpdated) && (
        <p className="meta" lang={i18n.locale}>
          {isEstimated && (
            <span className="estimated">
              <Trans>estimated; no publication date</Trans>
            </span>
          )}
          {isUpdated && (
            <span>
              <Trans>updated</Trans> <Time iso={updatedAt} />
            </span>
          )}
        </p>
      )}
      <AlsoIn item={item} />
      <Labels ids={item.labels} />
    </>
  );
}

function Original({ item, children }: { item: ItemSummary; children: ReactNode }) {
  return item.link ? <OriginalLink item={item}>{children}</OriginalLink> : children;
}

/** A day and its time; on paper, which stays, without "today". */
function Time({ iso, isEstimated = false }: { iso: string; isEstimated?: boolean }) {
  const { t, i18n } = useLingui();
  const absolute = absoluteTime(iso, i18n.locale);
  const when = dayTime(iso, useNow(), i18n.locale);
  return (
    <time dateTime={iso} title={absolute}>
      <span className="on-screen">{isEstimated ? t`about ${when}` : when}</span>
      <span className="print-only">{absolute}</span>
    </time>
  );
}

/** The other feeds with the same story. */
function AlsoIn({ item }: { item: ItemSummary }) {
  const { i18n } = useLingui();
  if (item.alsoIn.length === 0) return null;
  return (
    <p className="meta" lang={i18n.locale}>
      <Trans>Also in</Trans>
      {item.alsoIn.map((other, index) => (
        <span key={other.itemId}>
          {index > 0 && " · "}
          <Link
            dir="auto"
            href={readerPath({ kind: "feed", id: other.feedId }, "all", other.itemId)}
          >
            {other.title}
          </Link>
        </span>
      ))}
    </p>
  );
}

function Labels({ ids }: { ids: readonly string[] }) {
  const { t } = useLingui();
  const known = useTree().data?.labels ?? [];
  const mine = known.filter((label) => ids.includes(label.id));
  if (mine.length === 0) return null;
  return (
    <ul className="meta chips" aria-label={t`Labels`}>
      {mine.map((label) => (
        <li key={label.id}>
          <Link dir="auto" href={readerPath({ kind: "label", id: label.id })}>
            {label.name}
          </Link>
        </li>
      ))}
    </ul>
  );
}
