import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, type RefObject, Suspense } from "react";
import { feedTitle } from "@/data/feeds";
import { readerPath } from "@/data/routes";
import { useTree } from "@/data/tree";
import type { Feed, ItemSummary } from "@/data/types";
import { absoluteTime } from "@/i18n/format";
import { headingName } from "@/i18n/item-name";
import { textLang } from "@/i18n/text-lang";
import { useNow } from "@/i18n/use-now";
import { Bookmarks } from "@/ui/bookmarks";
import { Link } from "@/ui/link";
import { ItemTime } from "../item-time";
import { OfferLine } from "../offer-line";
import { OriginalLink } from "../original-link";

interface Props {
  item: ItemSummary;
  feed: Feed | undefined;
  headingRef: RefObject<HTMLHeadingElement | null>;
  /** Null until the text is loaded. */
  minutes: number | null;
}

/** Title and metadata of the item. */
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
  // What the heading names is not repeated below.
  const isFromFeed = isUntitled && !item.author;
  return (
    <>
      <h1
        ref={headingRef}
        tabIndex={-1}
        className="title"
        data-untitled={isUntitled || undefined}
        dir="auto"
      >
        {isFromFeed && from ? from : <Original item={item}>{title}</Original>}
      </h1>
      {item.offer && (
        <p className="offer-line" lang={i18n.locale}>
          <Suspense fallback={null}>
            <OfferLine offer={item.offer} />
          </Suspense>
          <Link href={`/watches/${item.offer.watchId}`}>
            <Trans>All results</Trans>
          </Link>
        </p>
      )}
      <div className="meta" lang={i18n.locale}>
        {!isFromFeed && from}
        {item.author && !isUntitled && (
          <span dir="auto" lang={textLang(item.lang, item.author, i18n.locale)}>
            {item.author}
          </span>
        )}
        <Dates item={item} />
        <Bookmarks item={item} />
        {minutes !== null && (
          <span>
            <Plural value={minutes} one="# min read" other="# min read" />
          </span>
        )}
        <AlsoIn item={item} />
        <Labels ids={item.labels} />
      </div>
    </>
  );
}

function Original({ item, children }: { item: ItemSummary; children: ReactNode }) {
  return item.link ? <OriginalLink item={item}>{children}</OriginalLink> : children;
}

/** When it was published (or estimated) and updated. */
function Dates({ item }: { item: ItemSummary }) {
  const { t, i18n } = useLingui();
  const { publishedAt, isDateEstimated, updatedAt } = item;
  const now = useNow();
  const absolute = absoluteTime(publishedAt, i18n.locale);
  return (
    <>
      <span>
        <time dateTime={publishedAt}>{isDateEstimated ? t`about ${absolute}` : absolute}</time>
        {isDateEstimated ? (
          <span className="estimated">
            <Trans>estimated; no publication date</Trans>
          </span>
        ) : (
          isRecent(publishedAt, now) && (
            <>
              {" ("}
              <ItemTime item={item} />)
            </>
          )
        )}
      </span>
      {updatedAt && updatedAt !== publishedAt && (
        <span>
          <Trans>updated</Trans>{" "}
          <time dateTime={updatedAt}>{absoluteTime(updatedAt, i18n.locale)}</time>
        </span>
      )}
    </>
  );
}

/** Older relative times are dates too. */
function isRecent(iso: string, now: number): boolean {
  return Math.abs(now - Date.parse(iso)) < 7 * 86_400_000;
}

/** The other feeds with the same story. */
function AlsoIn({ item }: { item: ItemSummary }) {
  if (item.alsoIn.length === 0) return null;
  return (
    <span className="whole-line">
      <Trans>Also in</Trans>{" "}
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
    </span>
  );
}

function Labels({ ids }: { ids: readonly string[] }) {
  const { t } = useLingui();
  const known = useTree().data?.labels ?? [];
  const mine = known.filter((label) => ids.includes(label.id));
  if (mine.length === 0) return null;
  return (
    <ul className="whole-line chips" aria-label={t`Labels`}>
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
