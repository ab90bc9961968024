import { useLingui } from "@lingui/react/macro";
import { Star } from "lucide-react";
import { type MouseEvent, memo, useId } from "react";
import { useFlags } from "@/data/flags";
import type { ItemId, ItemSummary } from "@/data/types";
import { textLang } from "@/i18n/text-lang";
import { withKey } from "@/ui/icon-button";
import { isPlainClick } from "@/ui/link";
import { ItemTime } from "./item-time";
import { NotSaved } from "./not-saved";

interface Props {
  item: ItemSummary;
  feedName: string;
  href: string;
  isOpen: boolean;
  isCursor: boolean;
  position: number;
  /** -1 while there is more to load. */
  size: number;
  onOpen: (id: ItemId) => void;
  onCursor: (id: ItemId) => void;
  onStar: (item: ItemSummary) => void;
}

/** One row, 84 px. It renders again when its own marks change, not when another's do. */
export const ItemRow = memo(function ItemRow(props: Props) {
  const { item, feedName, isOpen, onOpen } = props;
  const { t, i18n } = useLingui();
  const { isRead, isStarred } = useFlags(item);
  const id = useId();
  const title = item.title || item.snippet || item.link;

  const open = (event: MouseEvent) => {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    onOpen(item.id);
  };

  return (
    <article
      className="row"
      data-item={item.id}
      data-read={isRead}
      data-open={isOpen}
      aria-current={isOpen || undefined}
      aria-labelledby={id}
      aria-posinset={props.position}
      aria-setsize={props.size}
      tabIndex={props.isCursor ? 0 : -1}
      onFocus={() => props.onCursor(item.id)}
    >
      <span />
      <div className="min-w-0">
        <span className="dot" aria-hidden="true" />
        <h2 id={id} className="title" lang={textLang(item.lang, title, i18n.locale)}>
          {!isRead && <span className="sr-only">{t`Unread:`} </span>}
          <a href={props.href} tabIndex={-1} onClick={open}>
            {title}
          </a>
        </h2>
        <p className="meta">
          <span className="feed">{feedName}</span>
          <span aria-hidden="true">·</span>
          <ItemTime item={item} />
          <Bookmarks count={item.bookmarkCount} />
          <NotSaved id={item.id} />
        </p>
      </div>
      <button
        type="button"
        className="icon-btn"
        data-on={isStarred ? "star" : undefined}
        tabIndex={-1}
        aria-pressed={isStarred}
        aria-label={t`Star`}
        title={withKey(t`Star`, "item.star")}
        onClick={() => props.onStar(item)}
      >
        <Star fill={isStarred ? "currentColor" : "none"} aria-hidden="true" />
      </button>
    </article>
  );
});

/** Hatena bookmarks: "-" is not known, 0 is none. */
export function Bookmarks({ count }: { count: number | null }) {
  const { t } = useLingui();
  const weight = count === null || count < 10 ? undefined : count < 100 ? "hot" : "very-hot";
  const name = count === null ? t`Hatena bookmarks: not known` : t`Hatena bookmarks: ${count}`;
  return (
    <span className={weight} title={name}>
      <span aria-hidden="true">B {count ?? "-"}</span>
      <span className="sr-only">{name}</span>
    </span>
  );
}
