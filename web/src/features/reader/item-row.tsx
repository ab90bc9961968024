import { useLingui } from "@lingui/react/macro";
import { type MouseEvent, memo, Suspense, useId } from "react";
import { outward } from "@/data/base";
import { useFlags } from "@/data/flags";
import type { ItemId, ItemSummary } from "@/data/types";
import { itemName } from "@/i18n/item-name";
import { textLang } from "@/i18n/text-lang";
import { Bookmarks } from "@/ui/bookmarks";
import { FeedIcon } from "@/ui/feed-icon";
import { ClockIcon, ExternalIcon, MoreIcon, StarIcon } from "@/ui/first-icons";
import { withKey } from "@/ui/icon-button";
import { isPlainClick } from "@/ui/link";
import { StateDot } from "@/ui/state-dot";
import { RowTags } from "./explore/row-tags";
import { ItemPicture } from "./item-picture";
import { ItemTime } from "./item-time";
import { fromMatch, Marked } from "./marked";
import { NotSaved } from "./not-saved";
import { OfferLine, RowPrice } from "./offer-line";
import { OriginalLink } from "./original-link";
import { PinMark } from "./pin-mark";
import { watchLines } from "./title-lines";
import type { Shape } from "./use-shape";

/** Handlers of all rows; always the same object, so that no row renders because of it. */
export interface RowHandlers {
  onOpen(id: ItemId): void;
  onCursor(id: ItemId): void;
  onStar(item: ItemSummary): void;
  onRead(item: ItemSummary): void;
  onLater(item: ItemSummary): void;
  /** `at`: where the pointer is. */
  onMenu(item: ItemSummary, opener: HTMLElement, at?: { x: number; y: number }): void;
}

interface Props {
  item: ItemSummary;
  feedName: string;
  feedIcon: string | null;
  href: string;
  shape: Shape;
  isOpen: boolean;
  isCursor: boolean;
  position: number;
  /** -1 while there is more to load. */
  size: number;
  on: RowHandlers;
}

/**
 * One item in any mode; the style sheet arranges it. Renders again only when its own marks change.
 */
export const ItemRow = memo(function ItemRow(props: Props) {
  const { item, feedName, shape, isOpen, on } = props;
  const { t, i18n } = useLingui();
  const { isRead, isStarred } = useFlags(item);
  const id = useId();
  const { highlight } = item;
  const excerpt = highlight ? <Marked parts={fromMatch(highlight.text)} /> : item.snippet;
  const title = itemName(item);
  const lang = textLang(item.lang, title, i18n.locale);
  const isSkim = shape.mode === "skim";
  // The row is the head of its text.
  const isHead = shape.mode === "stream" || (isSkim && isOpen);
  const offer = item.offer && !isHead && shape.mode !== "gallery" ? item.offer : null;
  const after = isHead
    ? item.author
    : offer
      ? item.author || feedName
      : item.title && item.title !== item.snippet && excerpt;
  const marks = (
    <>
      <NotSaved id={item.id} />
      <PinMark id={item.id} />
      {item.tags && !isHead && <RowTags names={item.tags} />}
    </>
  );

  const open = (event: MouseEvent) => {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    on.onOpen(item.id);
  };

  return (
    <article
      className="row"
      data-item={item.id}
      data-offer={offer ? true : undefined}
      data-read={isRead}
      data-open={isOpen}
      data-cursor={props.isCursor || undefined}
      aria-current={isOpen || undefined}
      aria-labelledby={id}
      aria-posinset={props.position}
      aria-setsize={props.size}
      tabIndex={-1}
      onFocus={() => on.onCursor(item.id)}
      onContextMenu={(event) => {
        // Long press is handled with the other gestures; Shift+F10 comes from the row itself.
        if (event.defaultPrevented || (event.target as Element).closest(".tools")) return;
        event.preventDefault();
        const { clientX: x, clientY: y, button } = event;
        on.onMenu(item, event.currentTarget, button === 2 ? { x, y } : undefined);
      }}
    >
      {(offer ? shape.hasOfferImages : shape.hasImages) && (
        <ItemPicture
          item={item}
          instead={
            shape.mode === "read" && !offer ? null : (
              <FeedIcon url={props.feedIcon} name={feedName} />
            )
          }
        />
      )}
      <div className="words">
        <button
          type="button"
          className="state-mark"
          tabIndex={-1}
          aria-hidden="true"
          title={withKey(isRead ? t`Mark as unread` : t`Mark as read`, "item.read")}
          onClick={() => on.onRead(item)}
        >
          <StateDot id={item.id} />
        </button>
        <div className="text" lang={lang}>
          <h2
            ref={shape.mode === "read" ? watchLines : undefined}
            id={id}
            className="title"
            dir="auto"
          >
            {!isRead && (
              <span className="sr-only" lang={i18n.locale} dir="ltr">
                {t`Unread:`}{" "}
              </span>
            )}
            <a href={outward(props.href)} tabIndex={-1} onClick={open}>
              {item.title && highlight ? <Marked parts={highlight.title} /> : title}
            </a>
          </h2>
          {item.offer && !isHead && (
            <Suspense fallback={<span className="offer">{"\u00a0"}</span>}>
              {offer ? <RowPrice offer={offer} /> : <OfferLine offer={item.offer} />}
            </Suspense>
          )}
          {(offer || !item.offer || isHead) && after && (
            <p className="excerpt" dir="auto">
              {after}
            </p>
          )}
          {isSkim && marks}
        </div>
        <p className="meta">
          <FeedIcon url={props.feedIcon} name={feedName} />
          <span className="feed" dir="auto">
            {feedName}
          </span>
          <Bookmarks item={item} isPlain={isSkim} />
          {!isSkim && marks}
          <span className="when">
            {isStarred && <StarIcon isFilled />}
            <ItemTime item={item} isShort />
          </span>
        </p>
      </div>
      <span className="tools">
        <button
          type="button"
          className="icon-btn"
          data-on={isStarred ? "star" : undefined}
          tabIndex={-1}
          aria-pressed={isStarred}
          aria-label={t`Star`}
          title={withKey(t`Star`, "item.star")}
          onClick={() => on.onStar(item)}
        >
          <StarIcon isFilled={isStarred} />
        </button>
        <button
          type="button"
          className="icon-btn"
          tabIndex={-1}
          aria-hidden="true"
          title={withKey(t`Read later`, "item.later")}
          onClick={() => on.onLater(item)}
        >
          <ClockIcon />
        </button>
        {item.link && (
          <OriginalLink
            item={item}
            className="icon-btn"
            tabIndex={-1}
            aria-hidden="true"
            title={withKey(t`Open original`, "item.original")}
          >
            <ExternalIcon />
          </OriginalLink>
        )}
        <button
          type="button"
          className="icon-btn more"
          tabIndex={-1}
          aria-haspopup="menu"
          aria-label={t`Article menu`}
          title={t`Article menu`}
          onClick={(event) => on.onMenu(item, event.currentTarget)}
        >
          <MoreIcon />
        </button>
      </span>
    </article>
  );
});
