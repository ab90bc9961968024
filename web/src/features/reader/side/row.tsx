import { useLingui } from "@lingui/react/macro";
import { ChevronRight, Ellipsis } from "lucide-react";
import type { CSSProperties, ReactNode } from "react";
import { number, shortCount } from "@/i18n/numbers";
import { Link } from "@/ui/link";

interface Props {
  /** The id of the row (rows.ts). */
  row: string;
  href: string;
  icon?: ReactNode;
  name: string;
  lang?: string | undefined;
  title?: string;
  isCurrent: boolean;
  isStop: boolean;
  depth?: number;
  isUnread?: boolean;
  count?: number | undefined;
  /** There are more than were counted. */
  hasMore?: boolean | undefined;
  countName?: string;
  mark?: ReactNode;
  /** Undefined for rows that cannot be closed. */
  isClosed?: boolean;
  onToggle?: () => void;
  /** Shows the button of the menu. */
  hasMenu?: boolean;
}

/**
 * A row of the side bar: toggle, link, menu. Lists and links instead of the tree role: screen readers handle them well, and
 * links keep their features (new tab, copy). use-roving.ts decides which row Tab reaches.
 */
export function Row(props: Props) {
  const { row, name, isStop, isClosed, onToggle, hasMenu, count = 0, depth = 0 } = props;
  const { t, i18n } = useLingui();
  const tab = isStop ? 0 : -1;
  return (
    <div className="side-row" data-row={row} style={{ "--depth": depth } as CSSProperties}>
      {onToggle && (
        <button
          type="button"
          className="twist"
          tabIndex={tab}
          aria-expanded={!isClosed}
          aria-label={isClosed ? t`Expand ${name}` : t`Collapse ${name}`}
          onClick={onToggle}
        >
          <ChevronRight />
        </button>
      )}
      <Link
        href={props.href}
        className="side-link"
        data-stop=""
        data-kind={row.split(":")[0]}
        data-name={name}
        data-unread={props.isUnread}
        tabIndex={tab}
        aria-current={props.isCurrent ? "page" : undefined}
        title={props.title}
      >
        {props.icon}
        <span className="name" dir="auto" lang={props.lang}>
          {name}
        </span>
        {props.mark}
        {count > 0 && (
          <span className="count" title={count > 999 ? number(count, i18n.locale) : undefined}>
            {shortCount(count)}
            {props.hasMore && "+"}
            <span className="sr-only"> {props.countName ?? t`unread`}</span>
          </span>
        )}
      </Link>
      {hasMenu && (
        <button
          type="button"
          className="row-more"
          tabIndex={tab}
          aria-haspopup="menu"
          aria-label={t`Menu for ${name}`}
          title={t`Menu for ${name}`}
        >
          <Ellipsis />
        </button>
      )}
    </div>
  );
}
