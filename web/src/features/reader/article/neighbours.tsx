import { useLingui } from "@lingui/react/macro";
import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import { type ReaderRoute, readerPath } from "@/data/routes";
import type { ItemId, ItemSummary } from "@/data/types";
import { itemName } from "@/i18n/item-name";
import { isPlainClick, Link } from "@/ui/link";

interface Props {
  route: ReaderRoute;
  previous: ItemSummary | undefined;
  next: ItemSummary | undefined;
  onOpen: (id: ItemId) => void;
}

/** Links to the previous and next items, at the end of an article. */
export function Neighbours({ route, previous, next, onOpen }: Props) {
  const { t } = useLingui();
  const link = (item: ItemSummary | undefined, icon: ReactNode) =>
    item && (
      <Link
        className="btn"
        href={readerPath(route.stream, route.filter, item.id, route)}
        onClick={(event) => {
          if (!isPlainClick(event)) return;
          event.preventDefault();
          onOpen(item.id);
        }}
      >
        {icon}
        <span dir="auto">{itemName(item)}</span>
      </Link>
    );
  return (
    <nav className="article article-nav pt-0" aria-label={t`Previous and next articles`}>
      <div className="article-end">
        {link(previous, <ArrowUp size={16} />)}
        {link(next, <ArrowDown size={16} />)}
      </div>
    </nav>
  );
}
